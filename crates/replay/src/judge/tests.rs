use super::*;
use mneme_finding::Side;
use std::time::Duration;

fn event(kind: Kind, access: Option<Access>, lines: &[u32]) -> Event {
    Event {
        kind,
        access,
        text: "AddressSanitizer: something".into(),
        frames: lines
            .iter()
            .map(|&line| Frame {
                file: "/home/me/src/a.c".into(),
                line,
                column: 5,
            })
            .collect(),
    }
}

fn ended(ending: Ending, events: Vec<Event>) -> Observation {
    Observation {
        ending,
        departure: None,
        events,
        stdout: b"x=1\ny=2\n".to_vec(),
    }
}

fn expect(rule: Rule, line: u32) -> Expectation {
    Expectation {
        place: SourceLine::new("src/a.c", line),
        ..Expectation::of_rule(rule)
    }
}

fn judged(expected: &Expectation, seen: &Observation) -> &'static str {
    finding(expected, seen, Instrumented::Source).verdict()
}

#[test]
fn kind_access_and_line_have_to_agree() {
    let seen = ended(
        Ending::Exited(1),
        vec![event(Kind::OutOfBounds, Some(Access::Read), &[3, 9])],
    );
    assert_eq!(judged(&expect(Rule::OutOfBoundsRead, 9), &seen), "confirmed");
    assert_eq!(judged(&expect(Rule::OutOfBoundsRead, 8), &seen), "unconfirmed");
    assert_eq!(judged(&expect(Rule::OutOfBoundsWrite, 9), &seen), "unconfirmed");
    assert_eq!(judged(&expect(Rule::UseAfterFree, 9), &seen), "unconfirmed");
    assert_eq!(judged(&Expectation::of_rule(Rule::OutOfBoundsRead), &seen), "confirmed");
}

/// Beside a dead object there may be anything.
#[test]
fn an_access_outside_a_freed_block_may_be_reported_as_an_overflow() {
    let seen = ended(
        Ending::Exited(1),
        vec![event(Kind::OutOfBounds, Some(Access::Write), &[9])],
    );
    let mut expected = expect(Rule::UseAfterFree, 9);
    assert_eq!(judged(&expected, &seen), "unconfirmed");
    expected.outside = Some(Outside {
        side: Side::Past,
        bytes: 29,
    });
    assert_eq!(judged(&expected, &seen), "confirmed");
}

/// What `munmap` has given back is not mapped.
#[test]
fn freed_memory_may_not_be_there() {
    let seen = ended(Ending::Exited(1), vec![event(Kind::Segv, None, &[9])]);
    assert_eq!(judged(&expect(Rule::UseAfterFree, 9), &seen), "confirmed");
    assert_eq!(judged(&expect(Rule::UseAfterFree, 8), &seen), "unconfirmed");
    assert_eq!(judged(&expect(Rule::DoubleFree, 9), &seen), "unconfirmed");
}

#[test]
fn an_earlier_report_of_another_kind_does_not_hide_the_finding() {
    let seen = ended(
        Ending::Exited(1),
        vec![
            event(Kind::SignedOverflow, None, &[2]),
            event(Kind::DoubleFree, None, &[7]),
        ],
    );
    assert_eq!(judged(&expect(Rule::DoubleFree, 7), &seen), "confirmed");
}

#[test]
fn silence_proves_nothing_where_the_sanitizer_is_blind() {
    let silent = ended(Ending::Exited(0), vec![]);
    let mut expected = expect(Rule::OutOfBoundsRead, 9);
    let outside = |side, bytes| Some(Outside { side, bytes });
    expected.outside = outside(Side::Past, 4);
    assert_eq!(judged(&expected, &silent), "unconfirmed");
    expected.outside = outside(Side::Before, 400);
    assert_eq!(judged(&expected, &silent), "not checkable");
    expected.outside = outside(Side::Past, 0);
    expected.object_size = Some(0);
    assert_eq!(judged(&expected, &silent), "not checkable");
    let shift = expect(Rule::InvalidShift, 9);
    assert_eq!(judged(&shift, &silent), "unconfirmed");
    assert_eq!(
        finding(&shift, &silent, Instrumented::Bitcode).verdict(),
        "not checkable"
    );
}

#[test]
fn a_run_that_departs_from_its_path_says_so() {
    let timeout = ended(Ending::TimedOut(Duration::from_secs(10)), vec![]);
    assert_eq!(judged(&expect(Rule::Abort, 1), &timeout), "not checkable");
    let mut other = ended(Ending::Exited(98), vec![]);
    other.departure = Some(Departure::NoInput("n".into()));
    assert_eq!(judged(&expect(Rule::Abort, 1), &other), "unconfirmed");
    other.departure = Some(Departure::Excluded("assumption".into()));
    assert_eq!(judged(&expect(Rule::Abort, 1), &other), "not checkable");
    assert_eq!(exit(98, None, &other).verdict(), "unconfirmed");
}

#[test]
fn a_wild_jump_may_leave_no_stack() {
    let crash = |lines: &[u32]| ended(Ending::Exited(1), vec![event(Kind::Segv, Some(Access::Read), lines)]);
    assert_eq!(judged(&expect(Rule::InvalidCall, 9), &crash(&[])), "confirmed");
    assert_eq!(judged(&expect(Rule::InvalidCall, 9), &crash(&[3])), "unconfirmed");
    assert_eq!(judged(&expect(Rule::WildDereference, 9), &crash(&[])), "unconfirmed");
}

#[test]
fn an_exit_code_may_be_seen_without_its_line() {
    let exit = ended(Ending::Exited(1), vec![event(Kind::UndefinedExit, None, &[])]);
    assert_eq!(judged(&expect(Rule::UninitializedRead, 9), &exit), "confirmed");
}

#[test]
fn a_stack_that_is_too_small_may_be_seen_later() {
    let seen = ended(Ending::Exited(1), vec![event(Kind::StackOverflow, None, &[12])]);
    assert_eq!(judged(&expect(Rule::StackExhaustion, 9), &seen), "confirmed");
}

#[test]
fn checks_on_demand_see_what_is_otherwise_tolerated() {
    let rules = [
        (Rule::SignedOverflow, Kind::ShiftOverflow),
        (Rule::SubobjectOverrun, Kind::Index),
        (Rule::LossyConversion, Kind::LossyConversion),
        (Rule::MisalignedAccess, Kind::Misaligned),
        (Rule::NullOffset, Kind::NullOffset),
        (Rule::FloatDivisionByZero, Kind::ZeroDivisor),
        (Rule::UnsignedOverflow, Kind::UnsignedOverflow),
        (Rule::ExcessiveAllocation, Kind::ExcessiveAllocation),
    ];
    for (rule, kind) in rules {
        let seen = ended(Ending::Exited(3), vec![event(kind, None, &[9])]);
        assert_eq!(judged(&expect(rule, 9), &seen), "confirmed");
        assert_eq!(exit(3, None, &seen).verdict(), "confirmed");
    }
}

#[test]
fn a_conversion_out_of_range_refutes_an_exit_code() {
    let seen = ended(Ending::Exited(3), vec![event(Kind::ConversionRange, None, &[9])]);
    assert_eq!(judged(&expect(Rule::InvalidConversion, 9), &seen), "confirmed");
    assert_eq!(exit(3, None, &seen).verdict(), "unconfirmed");
}

#[test]
fn freeing_something_else_than_a_block_may_raise_a_signal() {
    let seen = ended(Ending::Exited(1), vec![event(Kind::Segv, None, &[3])]);
    assert_eq!(judged(&expect(Rule::InvalidFree, 3), &seen), "confirmed");
    assert_eq!(judged(&expect(Rule::InvalidFree, 4), &seen), "unconfirmed");
    assert_eq!(judged(&expect(Rule::DoubleFree, 3), &seen), "unconfirmed");
}

#[test]
fn a_leak_may_be_seen_where_the_block_was_allocated() {
    let seen = ended(Ending::Exited(1), vec![event(Kind::Leak, None, &[4])]);
    let mut expected = expect(Rule::MemoryLeak, 9);
    assert_eq!(judged(&expected, &seen), "unconfirmed");
    expected.related.extend(SourceLine::new("a.c", 4));
    assert_eq!(judged(&expected, &seen), "confirmed");
    let crashed = ended(Ending::Exited(1), vec![event(Kind::NullSegv, None, &[10])]);
    assert_eq!(judged(&expected, &crashed), "not checkable");
}

#[test]
fn exit_codes_are_compared() {
    assert_eq!(exit(3, None, &ended(Ending::Exited(3), vec![])).verdict(), "confirmed");
    let other = exit(3, None, &ended(Ending::Exited(0), vec![]));
    assert_eq!(
        other.to_string(),
        "unconfirmed: it exits with 0, predicted was an exit with 3"
    );
    let reported = ended(Ending::Exited(3), vec![event(Kind::ShiftDistance, None, &[2])]);
    assert_eq!(exit(3, None, &reported).verdict(), "unconfirmed");
    let tolerated = ended(Ending::Exited(3), vec![event(Kind::SignedOverflow, None, &[2])]);
    assert_eq!(
        exit(3, None, &tolerated).to_string(),
        "confirmed: it exits with 3 after AddressSanitizer: something"
    );
    assert_eq!(
        exit(6, None, &ended(Ending::Signalled(6), vec![])).verdict(),
        "unconfirmed"
    );
}

#[test]
fn output_is_compared_as_far_as_it_is_predicted() {
    let seen = ended(Ending::Exited(0), vec![]);
    let judged = |text: &[u8], complete| exit(0, Some(&OutputRecord::new(text, complete)), &seen);
    assert_eq!(judged(b"x=1\ny=2\n", true).verdict(), "confirmed");
    assert_eq!(judged(b"x=1\ny", false).verdict(), "confirmed");
    assert_eq!(judged(b"", false).verdict(), "confirmed");
    assert_eq!(judged(b"x=1\n", true).verdict(), "unconfirmed");
    let other = judged(b"x=1\ny=3\nz", true).to_string();
    let expected = "it exits with 0, but it writes \"y=2\\n\" where \"y=3\\n\" was predicted";
    assert_eq!(other, format!("unconfirmed: {expected}"));
}

#[test]
fn a_run_that_does_not_end_shows_an_endless_loop() {
    let late = ended(Ending::TimedOut(Duration::from_secs(10)), vec![]);
    assert_eq!(judged(&expect(Rule::EndlessLoop, 9), &late), "confirmed");
    assert_eq!(judged(&expect(Rule::Abort, 9), &late), "not checkable");
    let exits = ended(Ending::Exited(0), vec![]);
    assert_eq!(judged(&expect(Rule::EndlessLoop, 9), &exits), "unconfirmed");
}
