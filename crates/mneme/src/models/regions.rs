//! The options of `regions` on the command line, and the shapes of objects from the program's types.

use super::ModelArgs;
use clap::{Args, ValueEnum};
use mneme_memory::regions::region::{Field, Shape, Shapes};
use mneme_memory::regions::{Options, Regions, Views};
use mneme_program::{CField, CTypeId, Kind, Program, Site, Type};
use std::sync::Arc;

#[derive(Args, Debug)]
#[command(next_help_heading = "Model regions")]
pub struct RegionsArgs {
    /// What is read through another view (a pointer of another type) than the last write's
    #[arg(long, value_name = "HOW", default_value = "bytes", hide_short_help = true)]
    views: ViewsChoice,
    /// Show the regions of the path, and what is bound to them, with every finding
    #[arg(long, hide_short_help = true)]
    dump_regions: bool,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum ViewsChoice {
    /// The bytes that were written, as a machine does
    Bytes,
    /// An undefined value, as in the paper
    Paper,
}

impl ModelArgs for RegionsArgs {
    type Model = Regions;

    fn options(&self, program: &Program) -> Options {
        Options {
            views: match self.views {
                ViewsChoice::Bytes => Views::Bytes,
                ViewsChoice::Paper => Views::Paper,
            },
            shapes: self.dump_regions.then(|| Arc::new(shapes(program))),
        }
    }
}

/// Types that contain themselves do so through pointers; no C program nests others deeper.
const DEEPEST: usize = 32;

fn shapes(program: &Program) -> Shapes {
    let of_site = |site: &Site| shape(program, site.c_type?.into(), DEEPEST);
    let types = 0..program.types.len() as u32;
    Shapes {
        sites: program.sites.iter().map(of_site).collect(),
        types: types.map(|id| shape(program, CTypeId(id).into(), DEEPEST)).collect(),
    }
}

fn shape(program: &Program, ty: Type, depth: usize) -> Option<Shape> {
    let depth = depth.checked_sub(1)?;
    match program.kind(ty) {
        Kind::Struct { bytes, fields, .. } => {
            let field = |field: &CField| {
                Some(Field {
                    name: field.name.as_deref().unwrap_or_default().into(),
                    at: field.offset_bits / 8,
                    shape: Arc::new(shape(program, field.c_type.into(), depth)?),
                })
            };
            let fields = fields.iter().filter_map(field).collect();
            Some(Shape::Struct { bytes, fields })
        }
        Kind::Array { of, count } => Some(Shape::Array {
            of: Arc::new(shape(program, of, depth)?),
            count,
        }),
        _ => program.size_of(ty).map(|bytes| Shape::Scalar { bytes }),
    }
}
