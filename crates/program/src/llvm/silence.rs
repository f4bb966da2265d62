//! Silences LLVM: on strange debug information it writes remarks to standard error that cannot be switched off and mean
//! nothing to the user. Real problems come back as errors.

use std::fs::File;
use std::os::fd::AsRawFd;

/// Runs `run` with standard error closed.
pub fn silently<T>(run: impl FnOnce() -> T) -> T {
    let silence = Silence::begin();
    let result = run();
    drop(silence);
    result
}

/// The saved standard error.
struct Silence(i32);

impl Silence {
    fn begin() -> Option<Silence> {
        let null = File::options().write(true).open("/dev/null").ok()?;
        // SAFETY: plain system calls on descriptors that are open; the old one is kept and put back by `drop`.
        unsafe {
            let kept = libc::fcntl(libc::STDERR_FILENO, libc::F_DUPFD_CLOEXEC, 3);
            if kept < 0 {
                return None;
            }
            libc::dup2(null.as_raw_fd(), libc::STDERR_FILENO);
            Some(Silence(kept))
        }
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        // SAFETY: `begin` made the descriptor, and it is closed once.
        unsafe {
            libc::dup2(self.0, libc::STDERR_FILENO);
            libc::close(self.0);
        }
    }
}
