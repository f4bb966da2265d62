//! `frontier.json`: what `mneme run --resume DIR` needs in order to continue, and whether it may.

use crate::cli::{self, Cli, Command, RunArgs};
use crate::inputs;
use crate::models::Model;
use mneme_engine::Frontier;
use mneme_program::Program;
use mneme_report::{OutDir, OutDirError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    #[error(transparent)]
    Out(#[from] OutDirError),
    #[error("the saved frontier in `{}` cannot be read ({reason}): start the run again without --resume", dir.display())]
    Damaged { dir: PathBuf, reason: String },
    #[error("the program has changed since the run in `{}`: start it again without --resume", .0.display())]
    OtherProgram(PathBuf),
    #[error("the run in `{}` was made with {option} {saved}, not {now}: resume it with the same options", dir.display())]
    OtherOption {
        dir: PathBuf,
        option: String,
        saved: String,
        now: String,
    },
    #[error("the run in `{}` began in `{}`, which cannot be entered: {source}", dir.display(), cwd.display())]
    Directory {
        dir: PathBuf,
        cwd: PathBuf,
        source: std::io::Error,
    },
}

/// How a run was started, and what must be the same for another run to continue it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// The words of the command line.
    command: Vec<String>,
    cwd: PathBuf,
    program: String,
    options: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
pub struct Saved {
    pub identity: Identity,
    pub frontier: Frontier,
}

impl Identity {
    pub fn new(args: &RunArgs, program: &Program) -> Identity {
        let mut options = BTreeMap::new();
        let mut set = |name: &str, value: String| options.insert(name.to_string(), value);
        set("--model", args.model.clone());
        set("--check", format!("{:?}", args.check).to_lowercase());
        set("--uninit", format!("{:?}", args.uninit).to_lowercase());
        set("--malloc-may-fail", args.malloc_may_fail.to_string());
        set("--sizes", args.sizes.clone());
        set("--loops", format!("{:?}", args.loops()).to_lowercase());
        set("--capacity", args.capacity.to_string());
        args.chosen()
            .in_force()
            .into_iter()
            .for_each(|(name, value)| drop(set(&name, value)));
        set("--handler", args.handlers.join(","));
        set("--concrete-handler", args.concrete_handlers.join(","));
        set("--tlb", args.tlb.to_string());
        set("--watch", format!("{:?}", args.watch));
        set("--taint", format!("{:?}", args.taint));
        set("--tables", format!("{:?}", args.tables).to_lowercase());
        set("--merge", args.merge.clone());
        set("--merge-loops", args.merge_loops.clone());
        set("--merge-at", args.merge_at.join(" "));
        set("--merge-states", args.merge_states.to_string());
        set(
            "--merge-incremental",
            format!("{:?}", args.merge_incremental).to_lowercase(),
        );
        set("--variables", format!("{:?}", args.variables).to_lowercase());
        set("--max-stack", args.max_stack.to_string());
        set("--max-calls", args.max_calls.to_string());
        set("--entry", format!("{:?}", args.compile.entry));
        set("--max-len", args.max_len.to_string());
        set("the arguments", format!("{:?}", inputs::words(args, false)));
        set("--root", format!("{:?}", args.inputs.root));
        Identity {
            command: std::env::args().skip(1).collect(),
            cwd: std::env::current_dir().unwrap_or_default(),
            program: format!("{:016x}", program.fingerprint()),
            options,
        }
    }
}

impl Saved {
    pub fn read(dir: &Path) -> Result<Saved, ResumeError> {
        let bytes = OutDir::reopen(dir)?.read_frontier()?;
        let damaged = |reason: String| ResumeError::Damaged {
            dir: dir.to_owned(),
            reason,
        };
        let saved: Saved = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        match saved.frontier.is_sound() {
            true => Ok(saved),
            false => Err(damaged("its paths or figures are those of no run".into())),
        }
    }

    /// The text that [`Saved::read`] reads back.
    pub fn text(identity: &Identity, frontier: &Frontier) -> Vec<u8> {
        #[derive(Serialize)]
        struct Saving<'a> {
            identity: &'a Identity,
            frontier: &'a Frontier,
        }
        let saving = Saving { identity, frontier };
        serde_json::to_vec(&saving).expect("plain data has a JSON form")
    }

    /// May a run that is `now` continue this one?
    pub fn fits(&self, now: &Identity, dir: &Path) -> Result<(), ResumeError> {
        let known = self.identity.options.iter();
        let mut pairs = known.filter_map(|(option, saved)| Some((option, saved, now.options.get(option)?)));
        if let Some((option, saved, now)) = pairs.find(|(_, saved, now)| saved != now) {
            return Err(ResumeError::OtherOption {
                dir: dir.to_owned(),
                option: option.clone(),
                saved: saved.clone(),
                now: now.clone(),
            });
        }
        if self.identity.program != now.program {
            return Err(ResumeError::OtherProgram(dir.to_owned()));
        }
        Ok(())
    }

    /// The run's original command line, in its original directory, with the limits and outputs requested now.
    pub fn command(&self, models: &[Model], now: &RunArgs, dir: &Path) -> Result<RunArgs, ResumeError> {
        let damaged = |reason: &str| ResumeError::Damaged {
            dir: dir.to_owned(),
            reason: reason.into(),
        };
        let here = std::path::absolute(dir).map_err(|error| damaged(&error.to_string()))?;
        let words = std::iter::once("mneme").chain(self.identity.command.iter().map(String::as_str));
        let words = cli::arguments(models, words.map(Into::into));
        let Ok(Cli {
            command: Command::Run(mut args),
            ..
        }) = cli::parse(models, &words)
        else {
            return Err(damaged("its command line is none"));
        };
        if args.files.is_empty() {
            return Err(damaged("its command line names no program"));
        }
        std::env::set_current_dir(&self.identity.cwd).map_err(|source| ResumeError::Directory {
            dir: dir.to_owned(),
            cwd: self.identity.cwd.clone(),
            source,
        })?;
        args.resume = Some(here);
        args.max_time = now.max_time;
        args.max_memory = now.max_memory;
        args.max_states = now.max_states;
        args.max_depth = now.max_depth;
        args.max_instructions = now.max_instructions;
        args.solver_timeout = now.solver_timeout;
        args.quiet = now.quiet;
        args.confirm = now.confirm;
        args.program_output = now.program_output;
        args.log_queries = now.log_queries.clone();
        Ok(*args)
    }
}
