//! `mneme difftest`: functions of two libraries on the same tests (symMMU, section 5.7).
//!
//! Tests are made once, by a run of each function alone, from one source or several; every test that ends without an
//! error becomes a fixture, which is built for each library and run as a process of its own. What is printed (the value
//! returned, and what buffers hold then) and how the process ends are compared. Deliberately absent: proofs, which are
//! `mneme equiv`'s.
//!
//! - `explore`: the tests. `side`: a library. `compare`: one function. `smaller`: an input that shows a difference.
//!   `told`: results for people and for programs.

mod compare;
mod explore;
mod side;
mod smaller;
mod told;

use crate::cli::{CONFINED_RUN, DifftestArgs, Format};
use crate::{exit, progress};
use compare::{Compared, Outcome};
use mneme_replay::Confinement;
use mneme_report::Unit;
use side::Side;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{} cannot be written: {source}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
    #[error("there is no C file to make tests of `{0}` from: give --from, or C files as the first library")]
    NoSource(String),
    #[error("there is no file {}; check the path", .0.display())]
    NoSuchFile(PathBuf),
    #[error("{} names no function", .0.display())]
    NoFunction(PathBuf),
}

/// A function to be compared, and what its tests are made from.
struct Task {
    function: String,
    origins: Vec<Origin>,
}

/// C files and flags; the first file defines the function.
#[derive(Clone)]
struct Origin {
    files: Vec<PathBuf>,
    flags: Vec<String>,
}

impl From<(Vec<PathBuf>, Vec<String>)> for Origin {
    fn from((files, flags): (Vec<PathBuf>, Vec<String>)) -> Origin {
        Origin { files, flags }
    }
}

/// What all comparisons share.
struct Plan<'a> {
    args: &'a DifftestArgs,
    sides: [Side; 2],
    confinement: Confinement,
}

impl Plan<'_> {
    fn units(&self) -> [Unit; 2] {
        [0, 1].map(|side| self.sides[side].unit(&self.args.headers))
    }
}

pub fn difftest(args: &DifftestArgs) -> Result<u8, Error> {
    let sides = [Side::new(&args.first), Side::new(&args.second)];
    let tasks = tasks(args, &sides)?;
    let origins = tasks.iter().flat_map(|task| &task.origins);
    let named = origins.flat_map(|origin| &origin.files);
    let mut files = named.chain(sides.iter().flat_map(|side| &side.files));
    if let Some(file) = files.find(|file| !file.is_file()) {
        return Err(Error::NoSuchFile(file.clone()));
    }
    std::fs::create_dir_all(&args.out).map_err(|source| Error::Unwritable {
        path: args.out.clone(),
        source,
    })?;
    let helper = ["/proc/self/exe".into(), CONFINED_RUN.into()];
    let plan = Plan {
        args,
        sides,
        confinement: Confinement::new(&helper, &args.out),
    };
    if !plan.confinement.shortfalls().is_empty() {
        let shortfalls = plan.confinement.shortfalls().join("; ");
        eprintln!("mneme: native runs are not fully confined: {shortfalls}");
    }
    let compared = compare_all(&plan, &tasks);
    progress::end();
    let sides = plan.sides.each_ref().map(|side| side.words.as_str());
    match args.format {
        Format::Json => say!("{:#}", told::document(sides, &compared)),
        Format::Text => say!("{}", told::totals(&compared)),
    }
    let any = |wanted: fn(&Outcome) -> bool| compared.iter().any(|one| wanted(&one.outcome));
    Ok(match () {
        () if any(|outcome| matches!(outcome, Outcome::Differs(_))) => exit::FINDINGS,
        () if any(|outcome| matches!(outcome, Outcome::LeftOut(_))) => exit::INCOMPLETE,
        () => exit::CLEAN,
    })
}

/// The functions in the order in which they were named.
fn tasks(args: &DifftestArgs, sides: &[Side; 2]) -> Result<Vec<Task>, Error> {
    let given = args.from.iter().map(|words| side::sources(words));
    let own = sides.iter().map(|side| (side.files.clone(), side.flags.clone()));
    let origins: Vec<Origin> = match args.from.is_empty() {
        true => own.filter(|(files, _)| !files.is_empty()).map(Origin::from).collect(),
        false => given.map(Origin::from).collect(),
    };
    let mut named: Vec<(String, Vec<PathBuf>)> = args.names.iter().map(|name| (name.clone(), Vec::new())).collect();
    if let Some(list) = &args.functions {
        let text = std::fs::read_to_string(list).map_err(|source| Error::Unreadable {
            path: list.clone(),
            source,
        })?;
        for line in text.lines() {
            let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
            if let Some(name) = words.next() {
                named.push((name.into(), words.map(PathBuf::from).collect()));
            }
        }
        if named.is_empty() {
            return Err(Error::NoFunction(list.clone()));
        }
    }
    let task = |(function, own): (String, Vec<PathBuf>)| {
        let mut origins = origins.clone();
        if !own.is_empty() {
            origins.truncate(1);
            let flags = origins.pop().map_or(Vec::new(), |origin| origin.flags);
            origins.push(Origin { files: own, flags });
        }
        match origins.iter().any(|origin| origin.files.is_empty()) || origins.is_empty() {
            true => Err(Error::NoSource(function)),
            false => Ok(Task { function, origins }),
        }
    };
    named.into_iter().map(task).collect()
}

/// Compares all functions, several at a time. What is known of one is printed at once; the result is in their order.
fn compare_all(plan: &Plan, tasks: &[Task]) -> Vec<Compared> {
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    let jobs = plan.args.jobs.map_or(processors, |jobs| jobs as usize).min(tasks.len());
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    progress::show_bar(false);
    progress::show(told::line(tasks.len(), 0, 0));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some((index, task)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|index| Some((index, tasks.get(index)?)))
                {
                    let compared = compare::compare(plan, task);
                    let mut done = done.lock().expect("no comparison panics while it holds this");
                    if plan.args.format == Format::Text {
                        say!("{}", told::text(&compared, plan));
                    }
                    done.insert(index, compared);
                    let differing = |one: &&Compared| matches!(one.outcome, Outcome::Differs(_));
                    let differing = done.values().filter(differing).count();
                    progress::show(told::line(tasks.len(), done.len(), differing));
                }
            });
        }
    });
    let done = done.into_inner().expect("no comparison panics while it holds this");
    done.into_values().collect()
}
