//! One layer of Mneme at a time, small enough to count its instructions.
//!
//! `mneme-micro` lists the benchmarks; `mneme-micro NAME` runs one, the work inside `measured`, and prints how many
//! operations that was and how long each took. `make micro` runs all of them under callgrind, which counts the
//! instructions inside `measured`, and writes `benches/micro/counts.txt`: unlike times, the counts are the same on
//! every run, and a regression shows in a diff.

mod allocations;
mod layers;

use std::process::ExitCode;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

/// Work that was set up and waits to be measured.
struct Work {
    operations: u64,
    run: Box<dyn FnMut()>,
}

/// What callgrind looks at.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn measured(work: &mut Work) {
    (work.run)();
}

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else {
        layers::ALL.iter().for_each(|(name, _)| println!("{name}"));
        return ExitCode::SUCCESS;
    };
    let Some((_, prepare)) = layers::ALL.iter().find(|(known, _)| *known == name) else {
        eprintln!("there is no benchmark `{name}`");
        return ExitCode::FAILURE;
    };
    let mut work = prepare();
    let (bytes, started) = (allocations::bytes(), Instant::now());
    measured(&mut work);
    let (time, bytes) = (started.elapsed(), allocations::bytes() - bytes);
    let each = |total: f64| total / work.operations as f64;
    println!(
        "{name} {} operations, {:.1} ns and {:.0} bytes each",
        work.operations,
        each(time.as_nanos() as f64),
        each(bytes as f64)
    );
    ExitCode::SUCCESS
}
