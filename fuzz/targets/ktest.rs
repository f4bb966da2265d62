//! Test cases: what is accepted is what is written again, and its inputs can be shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mneme_report::{KTest, input_literal};

fuzz_target!(|data: &[u8]| {
    let Ok(test) = KTest::from_bytes(data) else { return };
    for object in &test.objects {
        input_literal(&object.bytes);
    }
    if !test.args.is_empty() {
        let written = test.to_bytes().unwrap();
        assert_eq!(KTest::from_bytes(&written).unwrap(), test);
    }
});
