//! `mneme help`, `mneme completions` and `mneme man`: what people, shells and `man` need, from the same definitions.

use crate::cli::Shell;
use crate::exit;
use std::io::Write;

/// Prints the help of a subcommand, or of `mneme` itself, as `--help` does.
pub fn help(command: clap::Command, subcommand: Option<&str>) -> u8 {
    let words = ["mneme"].into_iter().chain(subcommand).chain(["--help"]);
    if let Err(help) = command.try_get_matches_from(words) {
        let _ = help.print();
    }
    exit::CLEAN
}

/// Prints the completions for a shell.
pub fn completions(mut command: clap::Command, shell: Shell) -> u8 {
    let shell = match shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "mneme", &mut script);
    print(&script)
}

/// Prints the manual page of a subcommand, or of `mneme` itself.
pub fn man(mut command: clap::Command, subcommand: Option<&str>) -> u8 {
    command.build();
    if let Some(name) = subcommand {
        let found = command.find_subcommand(name);
        command = found.expect("clap accepts only known subcommands").clone();
    }
    // The manual is complete: it explains what the short help leaves out.
    let command = command.mut_args(|argument| argument.hide_short_help(false));
    let page = clap_mangen::Man::new(command)
        .manual("Mneme")
        .source(concat!("mneme ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render(&mut text).expect("memory takes everything");
    print(escaped(&String::from_utf8_lossy(&text)).as_bytes())
}

/// A page in ASCII, as every troff reads it: older ones take the bytes of other characters for Latin-1.
fn escaped(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    for char in page.chars() {
        match char.is_ascii() {
            true => text.push(char),
            false => text.push_str(&format!("\\[u{:04X}]", u32::from(char))),
        }
    }
    text
}

fn print(text: &[u8]) -> u8 {
    let _ = std::io::stdout().write_all(text);
    exit::CLEAN
}
