//! Command lines, one argument a line: they are accepted, or refused in one sentence without control characters.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mneme::{MODELS, cli};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

fuzz_target!(|data: &[u8]| {
    let words = data
        .split(|byte| *byte == b'\n')
        .map(|word| OsStr::from_bytes(word).to_owned());
    let words = cli::arguments(MODELS, [OsStr::new("mneme").to_owned()].into_iter().chain(words));
    if let Err(error) = cli::parse(MODELS, &words)
        && error.use_stderr()
    {
        let sentence = cli::one_sentence(MODELS, &error, &words);
        assert!(
            !sentence.is_empty() && !sentence.contains(char::is_control),
            "{sentence}"
        );
    }
});
