//! What a test gives up before its program starts: files outside its folder, rights, and resources.

use super::{FILE_BYTES, Namespaces};
use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope,
};
use std::fs;
use std::path::Path;

/// Devices that a program may write to.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random"];

/// The highest number of a capability that a kernel may have.
const LAST_CAPABILITY: libc::c_ulong = 63;

/// The version of Landlock's interface in this kernel, 0 if there is none.
pub fn landlock_version() -> u32 {
    const VERSION: libc::c_uint = 1;
    let none: *const libc::c_void = std::ptr::null();
    // SAFETY: with this flag the call takes no attributes and returns a number.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, none, 0usize, VERSION) };
    u32::try_from(version).unwrap_or(0)
}

/// Lets this process, and those that it starts, read everything and write only in the folder. What the kernel does not
/// know is left out.
pub fn files(folder: &Path, namespaces: Namespaces) -> Result<(), RulesetError> {
    // Version 3 has everything that changes a file's contents; of the later ones only those named here are used.
    let everything = AccessFs::from_all(ABI::V3);
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(everything)?
        .scope(Scope::AbstractUnixSocket)?
        .scope(Scope::Signal)?;
    if namespaces == Namespaces::None {
        ruleset = ruleset.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)?;
    }
    let mut ruleset = ruleset.create()?;
    if let Ok(root) = PathFd::new("/") {
        ruleset = ruleset.add_rule(PathBeneath::new(root, AccessFs::from_read(ABI::V3)))?;
    }
    if let Ok(folder) = PathFd::new(folder) {
        ruleset = ruleset.add_rule(PathBeneath::new(folder, everything))?;
    }
    for device in DEVICES {
        if let Ok(device) = PathFd::new(device) {
            ruleset = ruleset.add_rule(PathBeneath::new(device, AccessFs::from_file(ABI::V3)))?;
        }
    }
    ruleset.restrict_self().map(|_| ())
}

/// Gives up every right of a superuser, for this process and those that it starts.
pub fn rights() {
    for capability in 0..=LAST_CAPABILITY {
        // SAFETY: system calls without pointers; one that the kernel does not know is an error that changes nothing.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
    }
    // SAFETY: as above. Programs that belong to another user do not get that user's rights.
    unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
}

/// Limits that the kernel enforces. Address space is not among them: sanitizers reserve terabytes of it.
pub fn resources() {
    limit(libc::RLIMIT_CORE, 0);
    limit(libc::RLIMIT_FSIZE, FILE_BYTES);
    // If memory runs out, the kernel looks here first.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
}

/// Lowers a limit; one that is already lower stays.
fn limit(resource: libc::__rlimit_resource_t, value: u64) {
    let mut now = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `now` is valid for both calls.
    unsafe {
        if libc::getrlimit(resource, &mut now) == 0 {
            let value = value.min(now.rlim_max);
            let lower = libc::rlimit {
                rlim_cur: value.min(now.rlim_cur),
                rlim_max: value,
            };
            libc::setrlimit(resource, &lower);
        }
    }
}
