//! The handlers that a command line names: policies of Mneme's own, or C files (docs/handlers.md).

use crate::cli::RunArgs;
use crate::watch::{Unwatchable, Watched};
use mneme_engine::HandlerOptions;
use mneme_program::{Function, HANDLER_PREFIX, Handler, InitData, Program};
use std::path::{Path, PathBuf};

/// The handlers behind `--watch` and `--taint`.
const WATCH: &str = "watch";
const TAINT: &str = "taint";

#[derive(Debug, thiserror::Error)]
pub enum HandlerError {
    #[error("there is no handler `{name}`: give a C file, or one of {known}", known = names())]
    Unknown { name: String },
    #[error("there is no handler file {}; check the path", .0.display())]
    NoFile(PathBuf),
    #[error(
        "--watch {0} is not the name of a variable, with `.member` and `[index]` behind it, and perhaps +OFFSET or \
         +OFFSET:SIZE in bytes"
    )]
    Watch(String),
    #[error(transparent)]
    Unwatchable(#[from] Unwatchable),
    #[error("--taint {0} is not FUNCTION or INPUT:FUNCTION")]
    Taint(String),
    #[error("--taint names `{0}`, which the program neither defines nor calls")]
    NoFunction(String),
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
        sources.push(watch_handler(watched, dir)?);
    }
    if let Some(tainted) = tainted(args)? {
        sources.push(tainted.handler(dir)?);
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

pub(crate) fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What `--watch` names.
fn watched(args: &RunArgs) -> Result<Option<Watched>, HandlerError> {
    let parse = |text: &String| Watched::parse(text).ok_or_else(|| HandlerError::Watch(text.clone()));
    args.watch.as_ref().map(parse).transpose()
}

fn watch_handler(watched: Watched, dir: &Path) -> Result<Handler, HandlerError> {
    let mut flags = Named::parse(WATCH).flags(dir);
    flags.push(format!("-DMNEME_WATCH={}", watched.name));
    Ok(Handler {
        name: WATCH.into(),
        file: written(WATCH, dir)?,
        flags,
        global: Some(watched.name),
    })
}

/// An input that must not reach a call.
struct Tainted {
    /// `None`: any.
    input: Option<String>,
    function: String,
}

/// What `--taint` names.
fn tainted(args: &RunArgs) -> Result<Option<Tainted>, HandlerError> {
    let Some(text) = &args.taint else { return Ok(None) };
    let (input, function) = match text.rsplit_once(':') {
        Some((input, function)) => (Some(input), function),
        None => (None, text.as_str()),
    };
    let printable =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic() && c != '"' && c != '\\');
    if !is_identifier(function) || input.is_some_and(|input| !printable(input)) {
        return Err(HandlerError::Taint(text.clone()));
    }
    Ok(Some(Tainted {
        input: input.map(str::to_owned),
        function: function.to_owned(),
    }))
}

impl Tainted {
    fn handler(&self, dir: &Path) -> Result<Handler, HandlerError> {
        let Tainted { input, function } = self;
        let (literal, called) = match input {
            Some(input) => (format!("\"{input}\""), format!("the input `{input}`")),
            None => ("0".into(), "the inputs".into()),
        };
        let mut flags = Named::parse(TAINT).flags(dir);
        flags.push(format!("-DMNEME_TAINT_CALL={function}"));
        flags.push(format!("-DMNEME_TAINT_INPUT={literal}"));
        flags.push(format!("-DMNEME_TAINT_TEXT=\"bytes of {called} reach `{function}`\""));
        Ok(Handler {
            name: TAINT.into(),
            file: written(TAINT, dir)?,
            flags,
            global: None,
        })
    }
}

/// Tells the handlers what they need to know of the program. What they are to look at has to exist.
pub fn complete(args: &RunArgs, program: &mut Program) -> Result<(), HandlerError> {
    if let Some(watched) = watched(args)? {
        let bytes = watched.bytes(program)?;
        for (variable, value) in [("watch_at", bytes.start), ("watch_end", bytes.end)] {
            let name = format!("{HANDLER_PREFIX}{WATCH}.{variable}");
            let global = program.globals.iter_mut().find(|global| global.name == name);
            if let Some(global) = global {
                let bytes = value.to_le_bytes()[..global.size as usize].to_vec();
                global.init = vec![(0, InitData::Bytes(bytes))];
            }
        }
    }
    if let Some(Tainted { function, .. }) = tainted(args)? {
        let is_it = |known: &Function| known.name == function || known.source_name.as_ref() == Some(&function);
        if !program.functions.iter().any(is_it) {
            return Err(HandlerError::NoFunction(function));
        }
    }
    Ok(())
}

/// The handlers of one stack, the outermost first.
fn identifiers(args: &RunArgs, named: &[String]) -> Vec<String> {
    let watch = args.watch.iter().map(|_| WATCH.to_owned());
    let taint = args.taint.iter().map(|_| TAINT.to_owned());
    watch
        .chain(taint)
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
