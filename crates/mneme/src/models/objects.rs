//! The options of `objects` on the command line.

use super::{Bare, ModelArgs};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use mneme_memory::objects::{Addresses, Objects, Options, PieceSize, Resolve, Split};
use mneme_program::{PointsTo, Program, SegmentId};
use std::sync::Arc;

#[derive(Args, Debug)]
#[command(next_help_heading = "Model objects")]
pub struct ObjectsArgs {
    /// How to access memory through a pointer to several objects
    #[arg(long, value_name = "POLICY", default_value = Resolve::default().name(), value_parser = policies(), hide_short_help = true)]
    resolve: String,
    /// How many calls around an allocation tell objects apart, where dynamic segments remember what an instruction
    /// accessed
    #[arg(long, value_name = "CALLS", default_value_t = 4, value_parser = clap::value_parser!(u32).range(..=64), hide_short_help = true)]
    contexts: u32,
    /// Split objects that are accessed at symbolic offsets into pieces of N bytes, 256 if no number is given
    #[arg(long, value_name = "N|auto", num_args = 0..=1, default_missing_value = PIECE, value_parser = piece_size, hide_short_help = true)]
    split: Option<PieceSize>,
    /// Split only objects larger than this many bytes
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = 300,
        requires = "split",
        hide_short_help = true
    )]
    split_above: u64,
    /// Whether the bytes of objects may move; they do where objects are joined or split
    #[arg(long, value_name = "HOW", default_value = "relocatable", hide_short_help = true)]
    addresses: Addressing,
}

/// Whether the bytes of objects may move.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Addressing {
    /// They stay where they are
    Flat,
    /// They may move
    Relocatable,
}

impl ModelArgs for ObjectsArgs {
    type Model = Objects;

    const BARE: &'static [Bare] = &[Bare {
        option: "--split",
        default: PIECE,
        is_value: |word| word == "auto" || word.starts_with(|c: char| c.is_ascii_digit()),
    }];

    /// With flat addresses, nothing may request that objects move.
    fn check(&self) -> Result<(), String> {
        match self.moving() {
            Some(option) if self.addresses == Addressing::Flat => Err(format!(
                "{option} moves objects: leave it out, or run without --addresses flat"
            )),
            _ => Ok(()),
        }
    }

    fn options(&self, program: &Program) -> Options {
        let resolve = self.policy();
        // Static segments need to know which objects a pointer of the program may refer to.
        let partition = (resolve == Resolve::StaticSegments).then(|| {
            let parts = PointsTo::new(program).partition(program);
            let parts = parts.into_iter().map(|part| part.map(|SegmentId(number)| number));
            Arc::new(parts.collect())
        });
        Options {
            addresses: match self.addresses {
                Addressing::Flat => Addresses::Flat,
                Addressing::Relocatable => Addresses::Relocatable,
            },
            resolve,
            split: self.split.map(|size| Split {
                size,
                above: self.split_above,
            }),
            contexts: self.contexts,
            partition,
        }
    }
}

impl ObjectsArgs {
    fn policy(&self) -> Resolve {
        let known = Resolve::ALL.iter().find(|(name, ..)| *name == self.resolve);
        known.expect("clap accepts only known policies").2
    }

    /// The option by which objects move, if one is given.
    fn moving(&self) -> Option<&'static str> {
        match self.policy() {
            Resolve::DynamicSegments => Some("--resolve dynamic-segments"),
            Resolve::StaticSegments => Some("--resolve static-segments"),
            _ => self.split.map(|_| "--split"),
        }
    }
}

/// Bytes of a piece where `--split` says none (thesis §3.4.3).
const PIECE: &str = "256";

fn piece_size(text: &str) -> Result<PieceSize, String> {
    match (text, text.parse::<u64>()) {
        ("auto", _) => Ok(PieceSize::Auto),
        (_, Ok(bytes @ 8..=0xffff_ffff)) => Ok(PieceSize::Bytes(bytes)),
        _ => Err("give a number of bytes from 8 on, such as 256, or auto".into()),
    }
}

fn policies() -> PossibleValuesParser {
    let value = |&(name, about, _): &(&'static str, &'static str, Resolve)| PossibleValue::new(name).help(about);
    Resolve::ALL.iter().map(value).collect::<Vec<_>>().into()
}
