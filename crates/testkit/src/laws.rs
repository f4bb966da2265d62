//! The laws that every memory model obeys, as property tests.
//!
//! A model gets them all by one line in `tests/laws.rs`: `laws!(Objects, objects)`, or with options of the model as a
//! third argument. Random scripts of memory operations run on the model and on plain arrays of bytes side by side;
//! failing ones are shrunk and printed with their seed. Seeds are fixed; the environment variable `MNEME_LAW_CASES`
//! multiplies their number, `MNEME_LAW_SEED` runs a single one.

mod compare;
mod generate;
mod plain;
mod pointers;
mod run;
mod script;
mod symbols;

use generate::Style;
use mneme_memory::Model;
use run::{Checks, Verdict};
use script::Script;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;

pub use pointers::{choices_of_bases, numbers_refer_to_exposed_objects, pointers_survive};

/// Makes one test for each law of a model.
#[macro_export]
macro_rules! laws {
    ($model:ty, $name:ident) => {
        $crate::laws!($model, $name, <$model as mneme_memory::Model>::Options::default());
    };
    ($model:ty, $name:ident, $options:expr) => {
        mod $name {
            use super::*;

            #[test]
            fn guards_partition_the_path() {
                $crate::laws::guards_partition_the_path::<$model>(&$options);
            }
            #[test]
            fn a_load_returns_what_was_stored() {
                $crate::laws::a_load_returns_what_was_stored::<$model>(&$options);
            }
            #[test]
            fn sizes_may_be_symbolic() {
                $crate::laws::sizes_may_be_symbolic::<$model>(&$options);
            }
            #[test]
            fn a_fork_is_isolated() {
                $crate::laws::a_fork_is_isolated::<$model>(&$options);
            }
            #[test]
            fn pointers_survive() {
                $crate::laws::pointers_survive::<$model>(&$options);
            }
            #[test]
            fn concrete_programs_see_an_array_of_bytes() {
                $crate::laws::concrete_programs_see_an_array_of_bytes::<$model>(&$options);
            }
            #[test]
            fn choices_of_bases() {
                $crate::laws::choices_of_bases::<$model>(&$options);
            }
            #[test]
            fn numbers_refer_to_exposed_objects() {
                $crate::laws::numbers_refer_to_exposed_objects::<$model>(&$options);
            }
            #[test]
            fn collecting_terms_changes_nothing() {
                $crate::laws::collecting_terms_changes_nothing::<$model>(&$options);
            }
            #[test]
            fn merging_agrees_with_each_side() {
                $crate::laws::merging_agrees_with_each_side::<$model>(&$options);
            }
        }
    };
}

const SYMBOLIC: Style = Style {
    steps: 14,
    symbolic: 35,
    choices: 8,
    large: false,
    sizes: 0,
    pointers: true,
};
const CHOICES: Style = Style {
    steps: 10,
    symbolic: 25,
    choices: 45,
    large: false,
    sizes: 0,
    pointers: true,
};
const LONG: Style = Style {
    steps: 36,
    symbolic: 15,
    choices: 4,
    large: false,
    sizes: 0,
    pointers: true,
};
const BORDERS: Style = Style {
    steps: 12,
    symbolic: 12,
    choices: 5,
    large: true,
    sizes: 0,
    pointers: true,
};
const SIZES: Style = Style {
    steps: 14,
    symbolic: 35,
    choices: 12,
    large: false,
    sizes: 70,
    pointers: true,
};
const CONCRETE: Style = Style {
    steps: 150,
    symbolic: 0,
    choices: 0,
    large: true,
    sizes: 0,
    pointers: true,
};

/// For every operation on symbolic pointers, offsets, lengths and values: the guards of the branches are pairwise
/// disjoint, and the path condition implies that one of them holds.
pub fn guards_partition_the_path<M: Model>(options: &M::Options) {
    let checks = |_| Checks {
        partition: true,
        ..Checks::default()
    };
    holds("guards_partition_the_path", 60, &[SYMBOLIC, CHOICES], |script, seed| {
        run::run::<M>(options, script, checks(seed))
    });
}

/// Whatever is loaded equals what an array of bytes holds, and what faults there faults here with the same kind, object
/// and offset; under the inputs of the script and under others that take the same path.
pub fn a_load_returns_what_was_stored<M: Model>(options: &M::Options) {
    let checks = Checks {
        others: 12,
        ..Checks::default()
    };
    let styles = [SYMBOLIC, CHOICES, LONG, BORDERS];
    holds("a_load_returns_what_was_stored", 120, &styles, |script, _| {
        run::run::<M>(options, script, checks)
    });
}

/// Objects of symbolic size and inputs of symbolic length: the guards partition the path, and loads and faults are
/// those of an array of the size that the inputs give, for every size that takes the same path.
pub fn sizes_may_be_symbolic<M: Model>(options: &M::Options) {
    let checks = Checks {
        partition: true,
        others: 16,
        ..Checks::default()
    };
    holds("sizes_may_be_symbolic", 120, &[SIZES], |script, _| {
        run::run::<M>(options, script, checks)
    });
}

/// A clone is untouched by what happens to its origin afterwards, and vice versa.
pub fn a_fork_is_isolated<M: Model>(options: &M::Options) {
    holds("a_fork_is_isolated", 60, &[SYMBOLIC, BORDERS], |script, seed| {
        let fork = Some(seed as usize % 8 + 3);
        run::run::<M>(
            options,
            script,
            Checks {
                fork,
                ..Checks::default()
            },
        )
    });
}

/// After two heaps were merged, whatever is loaded where one of them is chosen equals what that one holds, and the same
/// accesses fault.
pub fn merging_agrees_with_each_side<M: Model>(options: &M::Options) {
    let cases = 150;
    let styles = [SYMBOLIC, CHOICES, LONG, BORDERS, SIZES];
    let before = run::MERGED.load(Relaxed);
    holds("merging_agrees_with_each_side", cases, &styles, |script, seed| {
        let merge = Some(seed as usize % 6 + 2);
        let others = 4;
        run::run::<M>(
            options,
            script,
            Checks {
                merge,
                others,
                ..Checks::default()
            },
        )
    });
    let merged = run::MERGED.load(Relaxed) - before;
    assert!(merged > 0, "no two memories became one");
}

/// Long programs without symbols: one branch per operation, values and faults of plain arrays; fast paths included.
pub fn concrete_programs_see_an_array_of_bytes<M: Model>(options: &M::Options) {
    let checks = Checks {
        concrete: true,
        ..Checks::default()
    };
    holds(
        "concrete_programs_see_an_array_of_bytes",
        60,
        &[CONCRETE],
        |script, _| run::run::<M>(options, script, checks),
    );
}

/// With a collection after each step, the guards and values are the same terms.
pub fn collecting_terms_changes_nothing<M: Model>(options: &M::Options) {
    holds(
        "collecting_terms_changes_nothing",
        50,
        &[SYMBOLIC, CHOICES, SIZES],
        |script, _| {
            let kept = run::run::<M>(options, script, Checks::default())?;
            let collected = run::run::<M>(
                options,
                script,
                Checks {
                    collect: true,
                    others: 4,
                    ..Checks::default()
                },
            )?;
            match kept.iter().zip(&collected).position(|(a, b)| a != b) {
                None if kept.len() == collected.len() => Ok(collected),
                at => Err(format!(
                    "guard or value {at:?} of {} is another after collections",
                    kept.len()
                )),
            }
        },
    );
}

/// The factor for the usual number of cases.
fn factor() -> u64 {
    std::env::var("MNEME_LAW_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1)
}

/// Runs scripts of these styles in turn; a failing one is shrunk and printed.
fn holds(law: &str, cases: u64, styles: &[Style], check: impl Fn(&Script, u64) -> Verdict<Vec<u64>>) {
    let one = std::env::var("MNEME_LAW_SEED").ok().and_then(|n| n.parse().ok());
    let seeds = one.map_or(0..cases * factor(), |seed| seed..seed + 1);
    let caught = |script: &Script, seed: u64| {
        catch_unwind(AssertUnwindSafe(|| check(script, seed))).unwrap_or_else(|panic| {
            let message = panic.downcast_ref::<String>().cloned();
            let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
            Err(format!("panic: {}", message.unwrap_or_default()))
        })
    };
    for seed in seeds {
        let script = generate::script(seed, styles[seed as usize % styles.len()]);
        if caught(&script, seed).is_err() {
            let small = shrink(script, |script| caught(script, seed).is_err());
            let what = caught(&small, seed).expect_err("a smaller script fails too");
            panic!("the law {law} does not hold\nseed {seed}\n{small}{what}");
        }
    }
}

/// Leaves out steps and assumptions as long as the script still fails.
fn shrink(mut script: Script, fails: impl Fn(&Script) -> bool) -> Script {
    let mut size = script.steps.len();
    while size > 0 {
        let mut at = 0;
        while at < script.steps.len() {
            let mut smaller = script.clone();
            smaller.steps.drain(at..(at + size).min(script.steps.len()));
            if fails(&smaller) {
                script = smaller;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    for at in (0..script.bounds.len()).rev() {
        let mut smaller = script.clone();
        smaller.bounds.remove(at);
        if fails(&smaller) {
            script = smaller;
        }
    }
    script
}
