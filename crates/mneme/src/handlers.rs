//! The handlers that a command line names: policies of Mneme's own, or C files (docs/handlers.md).

use crate::cli::RunArgs;
use mneme_engine::HandlerOptions;
use mneme_program::{Global, Handler, Program};
use std::path::{Path, PathBuf};

/// The handler behind `--watch`.
const WATCH: &str = "watch";

#[derive(Debug, thiserror::Error)]
pub enum HandlerError {
    #[error("there is no handler `{name}`: give a C file, or one of {known}", known = names())]
    Unknown { name: String },
    #[error("there is no handler file {}; check the path", .0.display())]
    NoFile(PathBuf),
    #[error("--watch {0} is not NAME, NAME+OFFSET or NAME+OFFSET:SIZE, with numbers in decimal")]
    Watch(String),
    #[error("--watch names `{0}`, which is not a global variable of the program")]
    NoGlobal(String),
    #[error("two handlers are called `{0}`: give one of the files another name")]
    Twice(String),
    #[error("the handler `{name}` cannot be written for the compiler: {source}")]
    Unwritable { name: String, source: std::io::Error },
}

fn names() -> String {
    let names: Vec<&str> = mneme_runtime::HANDLERS.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// A handler as named: `NAME`, `NAME:WORD` or a C file.
struct Named<'a> {
    what: &'a str,
    /// What follows a colon: a number is a bound, a word selects a variant.
    variant: Option<&'a str>,
}

impl<'a> Named<'a> {
    fn parse(text: &'a str) -> Named<'a> {
        match text.rsplit_once(':') {
            Some((what, variant)) => Named {
                what,
                variant: Some(variant),
            },
            None => Named {
                what: text,
                variant: None,
            },
        }
    }

    fn is_file(&self) -> bool {
        self.what.ends_with(".c")
    }

    /// As a C identifier.
    fn identifier(&self) -> String {
        let stem = Path::new(self.what).file_stem().unwrap_or_default().to_string_lossy();
        let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        stem.chars().map(letter).collect()
    }

    /// Reports name the files in `dir` without it.
    fn flags(&self, dir: &Path) -> Vec<String> {
        let define = |variant: &str| match variant.parse::<u64>() {
            Ok(bound) => format!("-DMNEME_BOUND={bound}"),
            Err(_) => format!("-DMNEME_{}=1", variant.to_uppercase().replace('-', "_")),
        };
        let place = format!("-ffile-prefix-map={}=mneme/handlers", dir.display());
        self.variant.map(define).into_iter().chain([place]).collect()
    }
}

fn named(args: &RunArgs) -> impl Iterator<Item = Named<'_>> {
    args.handlers
        .iter()
        .chain(&args.concrete_handlers)
        .map(|text| Named::parse(text))
}

/// The C files of the handlers; those of Mneme's own are written to `dir`.
pub fn sources(args: &RunArgs, dir: &Path) -> Result<Vec<Handler>, HandlerError> {
    let mut sources: Vec<Handler> = Vec::new();
    if args.has_handlers() {
        let (name, text) = mneme_runtime::HANDLER_SUPPORT;
        sources.push(Handler {
            name: name.into(),
            file: write(name, text, dir)?,
            flags: Named::parse(name).flags(dir),
            global: None,
        });
    }
    if let Some(watched) = watched(args)? {
        sources.push(watched.handler(dir)?);
    }
    for named in named(args) {
        let file = match named.is_file() {
            true => PathBuf::from(named.what),
            false => written(named.what, dir)?,
        };
        if !file.is_file() {
            return Err(HandlerError::NoFile(file));
        }
        let handler = Handler {
            name: named.identifier(),
            file,
            flags: named.flags(dir),
            global: None,
        };
        match sources.iter().find(|known| known.name == handler.name) {
            Some(known) if known.file == handler.file && known.flags == handler.flags => {}
            Some(_) => return Err(HandlerError::Twice(handler.name)),
            None => sources.push(handler),
        }
    }
    Ok(sources)
}

/// A policy of Mneme's own, as a file.
fn written(name: &str, dir: &Path) -> Result<PathBuf, HandlerError> {
    let Some((_, text)) = mneme_runtime::HANDLERS.iter().find(|(known, _)| *known == name) else {
        return Err(HandlerError::Unknown { name: name.to_owned() });
    };
    write(name, text, dir)
}

fn write(name: &str, text: &str, dir: &Path) -> Result<PathBuf, HandlerError> {
    let file = dir.join(format!("{name}.c"));
    match std::fs::write(&file, text) {
        Ok(()) => Ok(file),
        Err(source) => Err(HandlerError::Unwritable {
            name: name.to_owned(),
            source,
        }),
    }
}

/// Bytes of a global variable.
struct Watched {
    name: String,
    offset: u64,
    /// 0: to its end.
    size: u64,
}

/// What `--watch` names.
fn watched(args: &RunArgs) -> Result<Option<Watched>, HandlerError> {
    let Some(text) = &args.watch else { return Ok(None) };
    let (name, place) = text.split_once('+').unwrap_or((text, "0"));
    let (offset, size) = place.split_once(':').unwrap_or((place, "0"));
    let identifier = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match (offset.parse(), size.parse()) {
        (Ok(offset), Ok(size)) if identifier(name) && !name.is_empty() => Ok(Some(Watched {
            name: name.to_owned(),
            offset,
            size,
        })),
        _ => Err(HandlerError::Watch(text.clone())),
    }
}

impl Watched {
    fn handler(&self, dir: &Path) -> Result<Handler, HandlerError> {
        let Watched { name, offset, size } = self;
        let mut flags = Named::parse(WATCH).flags(dir);
        flags.push(format!("-DMNEME_WATCH={name}"));
        flags.push(format!("-DMNEME_WATCH_AT={offset}u"));
        flags.push(format!("-DMNEME_WATCH_SIZE={size}u"));
        Ok(Handler {
            name: WATCH.into(),
            file: written(WATCH, dir)?,
            flags,
            global: Some(name.clone()),
        })
    }
}

/// The variable that is watched has to exist.
pub fn check(args: &RunArgs, program: &Program) -> Result<(), HandlerError> {
    let Some(watched) = watched(args)? else { return Ok(()) };
    let is_it = |global: &Global| global.name == watched.name && !global.external && !global.runtime;
    match program.globals.iter().any(is_it) {
        true => Ok(()),
        false => Err(HandlerError::NoGlobal(watched.name)),
    }
}

/// The handlers of one stack, the outermost first.
fn identifiers(args: &RunArgs, named: &[String]) -> Vec<String> {
    let watch = args.watch.iter().map(|_| WATCH.to_owned());
    watch
        .chain(named.iter().map(|text| Named::parse(text).identifier()))
        .collect()
}

pub fn options(args: &RunArgs) -> HandlerOptions {
    HandlerOptions {
        symbolic: identifiers(args, &args.handlers),
        concrete: identifiers(args, &args.concrete_handlers),
        tlb: args.tlb,
    }
}
