//! `--minimise`: the fewest tests that cover what all of them cover.
//!
//! What a test covers is found by running the program on its inputs alone, which takes one path and no solver: after
//! merging or in summarised loops a path does not know it. Tests of findings stay. Of the others the one that adds most
//! comes next, until nothing is left to add, as usual for covering sets; then those go that later ones made
//! superfluous.

use mneme_engine::{GivenTest, Loops, MergeOptions, Mode, Options, Stats};
use mneme_report::{KTest, TestRecord, read_records, test_files};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// A test whose run takes longer is judged by what it has covered until then.
pub const LONGEST_RUN: Duration = Duration::from_secs(5);

/// The options of a run on one test.
pub fn plainly(options: Options) -> Options {
    Options {
        minimise: false,
        seeds: Vec::new(),
        save_every: None,
        loops: Loops::Classic,
        merge: MergeOptions {
            mode: Mode::None,
            ..options.merge
        },
        progress: Default::default(),
        halt: Default::default(),
        max_instructions: None,
        max_states: None,
        ..options
    }
}

/// What a run on one test has covered; `None` if it took several paths.
pub fn covered(stats: &Stats) -> Option<Vec<u32>> {
    (stats.forks == 0).then(|| stats.places.clone())
}

/// The names of the tests in a directory that are not needed.
pub fn redundant<E>(
    dir: &Path,
    covered: &mut dyn FnMut(GivenTest) -> Result<Option<Vec<u32>>, E>,
) -> Result<BTreeSet<String>, E> {
    let records = read_records(dir).unwrap_or_default();
    let records: BTreeMap<String, TestRecord> = records
        .into_iter()
        .map(|record| (record.test.clone(), record))
        .collect();
    let mut needed = BTreeSet::new();
    let mut others: Vec<(String, Vec<u32>)> = Vec::new();
    for path in test_files(dir).unwrap_or_default() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (Ok(test), Some(record)) = (KTest::read(&path), records.get(&name)) else {
            continue;
        };
        let inputs = test
            .objects
            .into_iter()
            .map(|object| (object.name, object.bytes))
            .collect();
        let given = GivenTest {
            inputs,
            failing_allocations: record.failing_allocations.clone(),
        };
        match covered(given)? {
            Some(places) if record.finding.is_none() => others.push((name, places)),
            Some(places) => needed.extend(places),
            None => {}
        }
    }
    let sets: Vec<&[u32]> = others.iter().map(|(_, places)| &places[..]).collect();
    let kept = cover(&sets, needed);
    let names = others.iter().enumerate().filter(|(index, _)| !kept.contains(index));
    Ok(names.map(|(_, (name, _))| name.clone()).collect())
}

/// Which of the sets cover what all of them cover, besides what is covered already.
fn cover(sets: &[&[u32]], already: BTreeSet<u32>) -> BTreeSet<usize> {
    let mut covered = already.clone();
    let mut chosen: Vec<usize> = Vec::new();
    loop {
        let gain = |set: &[u32]| set.iter().filter(|place| !covered.contains(place)).count();
        // Of equals the first.
        let best = (0..sets.len()).rev().max_by_key(|&index| gain(sets[index]));
        let Some(best) = best.filter(|&best| gain(sets[best]) > 0) else {
            break;
        };
        covered.extend(sets[best]);
        chosen.push(best);
    }
    let mut kept: BTreeSet<usize> = chosen.iter().copied().collect();
    for one in chosen {
        let by_others = |place: &u32| {
            let others = kept.iter().filter(|&&other| other != one);
            already.contains(place) || others.into_iter().any(|&other| sets[other].contains(place))
        };
        if sets[one].iter().all(by_others) {
            kept.remove(&one);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sets: &[&[u32]], already: &[u32]) -> Vec<usize> {
        cover(sets, already.iter().copied().collect()).into_iter().collect()
    }

    #[test]
    fn few_sets_cover_what_all_cover() {
        assert_eq!(of(&[&[1], &[1, 2], &[2, 3], &[3]], &[]), [1, 2]);
        assert_eq!(of(&[&[1, 2], &[1, 2]], &[]), [0]);
        assert_eq!(of(&[&[1, 2], &[3]], &[1, 2]), [1]);
        assert_eq!(of(&[], &[1]), [0; 0]);
        // The greatest comes first and is not needed in the end.
        assert_eq!(of(&[&[1, 2, 3, 4], &[1, 2, 5], &[3, 4, 6]], &[]), [1, 2]);
    }
}
