use super::*;

fn observe(stderr: &str) -> Observation {
    Observation::new(Finished {
        ending: Ending::Exited(1),
        stdout: Vec::new(),
        stderr: stderr.into(),
    })
}

fn lines(event: &Event) -> Vec<u32> {
    event.frames.iter().map(|frame| frame.line).collect()
}

#[test]
fn only_the_first_stack_of_an_address_report_counts() {
    let seen = observe(
        "\
program's own words
=================================================================
==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55 bp 0x7f sp 0x7f
READ of size 8 at 0x602000000010 thread T0
    #0 0x55d in next /home/me/my code/a.c:24:20
    #1 0x55e in main /home/me/my code/a.c:30
    #2 0x7f1 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #3 0x55f in _start (/home/me/a+0x2c330) (BuildId: f476)

0x602000000010 is located 0 bytes inside of 8-byte region
freed by thread T0 here:
    #0 0x55a in free (/home/me/a+0xcb336)
    #1 0x55b in main /home/me/my code/a.c:22:5
SUMMARY: AddressSanitizer: heap-use-after-free /home/me/my code/a.c:24:20 in next
",
    );
    let [event] = &seen.events[..] else { panic!("{seen:?}") };
    assert_eq!((event.kind, event.access), (Kind::UseAfterFree, Some(Access::Read)));
    assert_eq!(event.text, "AddressSanitizer: heap-use-after-free, READ of size 8");
    assert_eq!(lines(event), [24, 30, 58]);
    assert_eq!(event.frames[0].file, Path::new("/home/me/my code/a.c"));
}

#[test]
fn kinds_of_address_reports() {
    for (report, kind) in [
        ("stack-buffer-overflow on address 0x7f at pc 0x1", Kind::OutOfBounds),
        (
            "attempting double-free on 0x602000000010 in thread T0:",
            Kind::DoubleFree,
        ),
        (
            "attempting free on address which was not malloc()-ed: 0x7f in thread T0",
            Kind::InvalidFree,
        ),
        (
            "SEGV on unknown address 0x000000000004 (pc 0x56 bp 0x7f sp 0x7f T0)",
            Kind::NullSegv,
        ),
        ("SEGV on unknown address 0xfffffffffffffff8 (pc 0x56)", Kind::NullSegv),
        ("SEGV on unknown address (pc 0x56 bp 0x7f sp 0x7f T0)", Kind::Segv),
        ("SEGV on unknown address 0x557e7ab32d60 (pc 0x55)", Kind::Segv),
        ("stack-overflow on address 0x7ff (pc 0x56)", Kind::StackOverflow),
        ("FPE on unknown address 0x560fa429ebef (pc 0x56)", Kind::DivisionByZero),
        ("negative-size-param: (size=-1)", Kind::OutOfBounds),
        ("memcpy-param-overlap: memory ranges [0x1,0x2) overlap", Kind::Overlap),
    ] {
        let seen = observe(&format!("==12==ERROR: AddressSanitizer: {report}\n"));
        assert_eq!(seen.events[0].kind, kind, "{report}");
    }
}

#[test]
fn a_jump_into_data_is_distinguished_from_an_access() {
    let seen = observe(
        "\
==3==ERROR: AddressSanitizer: SEGV on unknown address 0x5565378a3b80 (pc 0x5565378a3b80 bp 0x7f sp 0x7f T0)
==3==The signal is caused by a READ memory access.
==3==Hint: PC is at a non-executable region. Maybe a wild jump?
    #0 0x5565378a3b80 in data invalid_call_bad.c
",
    );
    assert_eq!((seen.events[0].kind, seen.events[0].place()), (Kind::WildJump, None));
}

#[test]
fn undefined_behaviour_is_read_with_its_place() {
    for (report, kind) in [
        ("index 9 out of bounds for type 'int[4]'", Kind::Index),
        ("load of null pointer of type 'int'", Kind::NullPointer),
        (
            "member access within null pointer of type 'struct s'",
            Kind::NullPointer,
        ),
        ("applying zero offset to null pointer", Kind::Remark),
        ("applying non-zero offset 4 to null pointer", Kind::NullOffset),
        ("division by zero", Kind::ZeroDivisor),
        (
            "implicit conversion from type 'int' of value 300 (32-bit, signed) to type 'char' changed the value to 44",
            Kind::LossyConversion,
        ),
        (
            "load of misaligned address 0x7ffc1 for type 'int', which requires 4 byte alignment",
            Kind::Misaligned,
        ),
        (
            "load of value 2, which is not a valid value for type '_Bool'",
            Kind::BoolValue,
        ),
        (
            "variable length array bound evaluates to non-positive value 0",
            Kind::ArraySize,
        ),
        ("passing zero to ctz(), which is not a valid argument", Kind::BitCount),
        (
            "division of -2147483648 by -1 cannot be represented in type 'int'",
            Kind::DivisionOverflow,
        ),
        (
            "shift exponent 32 is too large for 32-bit type 'int'",
            Kind::ShiftDistance,
        ),
        ("left shift of negative value -1", Kind::ShiftOverflow),
        (
            "1e+20 is outside the range of representable values of type 'int'",
            Kind::ConversionRange,
        ),
        (
            "signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'",
            Kind::SignedOverflow,
        ),
        (
            "unsigned integer overflow: 4294967295 + 1 cannot be represented in type 'unsigned int'",
            Kind::UnsignedOverflow,
        ),
        (
            "negation of 7 cannot be represented in type 'unsigned int'",
            Kind::UnsignedOverflow,
        ),
        (
            "negation of -2147483648 cannot be represented in type 'int'; cast to an unsigned type to negate this value to \
             itself",
            Kind::SignedOverflow,
        ),
        ("execution reached an unreachable program point", Kind::Unreachable),
        (
            "call to function f through pointer to incorrect function type 'void (*)(int)'",
            Kind::FunctionType,
        ),
        ("load of misaligned address 0x7f for type 'int'", Kind::Misaligned),
    ] {
        let seen = observe(&format!("src/a.c:3:68: runtime error: {report}\n"));
        assert_eq!(seen.events[0].kind, kind, "{report}");
        assert_eq!(lines(&seen.events[0]), [3]);
    }
}

#[test]
fn an_assertion_and_its_abort_are_one_event() {
    let seen = observe(
        "\
a.c: /home/me/a.c:9: int main(void): Assertion `x > 0' failed.
AddressSanitizer:DEADLYSIGNAL
==9==ERROR: AddressSanitizer: ABRT on unknown address 0x7351 (pc 0x7f)
    #0 0x7f in abort stdlib/abort.c:79:7
    #1 0x55 in check /home/me/a.c:9:3
    #2 0x55 in main /home/me/a.c:20:3
",
    );
    let [event] = &seen.events[..] else { panic!("{seen:?}") };
    assert_eq!(
        (event.kind, event.text.as_str()),
        (Kind::Assertion, "assertion `x > 0` fails")
    );
    assert_eq!(lines(event), [9, 79, 9, 20]);
}

#[test]
fn leaks_are_events_at_their_allocation() {
    let seen = observe(
        "\
==5==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 3 byte(s) in 1 object(s) allocated from:
    #0 0x55 in malloc (/home/me/a+0xcb5cf) (BuildId: f476)
    #1 0x55 in main /home/me/a.c:11:20

Indirect leak of 8 byte(s) in 1 object(s) allocated from:
    #0 0x55 in malloc (/home/me/a+0xcb5cf) (BuildId: f476)
    #1 0x55 in push /home/me/a.c:4:20

SUMMARY: AddressSanitizer: 11 byte(s) leaked in 2 allocation(s).
",
    );
    assert_eq!(seen.events.iter().map(lines).collect::<Vec<_>>(), [[11], [4]]);
    assert_eq!(
        seen.events[0].text,
        "LeakSanitizer: direct leak of 3 byte(s) in 1 object(s)"
    );
}

#[test]
fn uninitialised_values_are_read_from_both_tools() {
    let seen = observe(
        "\
==1==WARNING: MemorySanitizer: use-of-uninitialized-value
    #0 0x55 in main /home/me/a.c:16:9
==2== Conditional jump or move depends on uninitialised value(s)
==2==    at 0x10916B: main (/home/me/a.c:17)
==2==    by 0x48: (below main) (in /lib/libc.so)
",
    );
    let found: Vec<_> = seen.events.iter().map(|event| (event.kind, lines(event))).collect();
    assert_eq!(
        found,
        [(Kind::Uninitialised, vec![16]), (Kind::Uninitialised, vec![17])]
    );
}

#[test]
fn departures_are_reported() {
    let seen = observe("partial line\nmneme-replay: excluded: an assumption of the harness does not hold\n");
    assert!(matches!(seen.departure, Some(Departure::Excluded(_))));
    let seen = observe("\nmneme-replay: no-input: n_1\n");
    assert_eq!(seen.departure, Some(Departure::NoInput("n_1".into())));
}
