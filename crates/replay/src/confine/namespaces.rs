//! Namespaces of a test: a network without a way out, processes that end together, mounts that are read-only.
//!
//! Everything here is done by a process with a single thread.

use super::Namespaces;
use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

/// A limit on the numbers of processes and threads, which kernels have for a namespace of processes since 6.14.
const PID_MAX: &str = "1024";

/// The most that the kernel allows, tried out with a folder.
pub fn allowed(folder: &Path) -> Namespaces {
    let works = |namespaces| in_child(|| try_out(namespaces, folder).is_ok());
    let tried = [Namespaces::Full, Namespaces::Network].into_iter().find(|&n| works(n));
    tried.unwrap_or(Namespaces::None)
}

fn try_out(namespaces: Namespaces, folder: &Path) -> io::Result<()> {
    enter(namespaces)?;
    let prepared = in_child(|| namespaces != Namespaces::Full || prepare_mounts(folder).is_ok());
    prepared
        .then_some(())
        .ok_or_else(|| io::ErrorKind::PermissionDenied.into())
}

/// Whether something succeeds in a process of its own.
fn in_child(action: impl FnOnce() -> bool) -> bool {
    // SAFETY: this process has a single thread, so that the child may do whatever it could do.
    match unsafe { libc::fork() } {
        -1 => false,
        0 => {
            let code = i32::from(!action());
            // SAFETY: ends the child at once; what the parent has buffered is not written twice.
            unsafe { libc::_exit(code) }
        }
        child => {
            let mut status = 0;
            // SAFETY: `status` is valid for the call.
            let waited = unsafe { libc::waitpid(child, &mut status, 0) };
            waited == child && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
        }
    }
}

/// Moves this process into new namespaces; its children, where it comes to processes.
pub fn enter(namespaces: Namespaces) -> io::Result<()> {
    let flags = match namespaces {
        Namespaces::None => return Ok(()),
        Namespaces::Network => libc::CLONE_NEWUSER | libc::CLONE_NEWNET | libc::CLONE_NEWIPC,
        Namespaces::Full => {
            libc::CLONE_NEWUSER
                | libc::CLONE_NEWNET
                | libc::CLONE_NEWIPC
                | libc::CLONE_NEWUTS
                | libc::CLONE_NEWPID
                | libc::CLONE_NEWNS
        }
    };
    // SAFETY: system calls without pointers.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    // SAFETY: as above.
    checked(unsafe { libc::unshare(flags) })?;
    // The test sees itself as the same user, who has no rights over anything outside.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    // A program may talk to itself; without a loopback device it cannot, but no test depends on us being able to.
    let _ = raise_loopback();
    Ok(())
}

/// Makes everything read-only except for the folder, and shows the processes of this namespace in `/proc`.
pub fn prepare_mounts(folder: &Path) -> io::Result<()> {
    let folder = CString::new(folder.as_os_str().as_bytes())?;
    let none = ptr::null();
    let root = c"/".as_ptr();
    // SAFETY: all strings end with a zero and live through the calls; the others are null, which these calls allow.
    unsafe {
        checked(libc::mount(
            none,
            root,
            none,
            libc::MS_REC | libc::MS_PRIVATE,
            ptr::null(),
        ))?;
        checked(libc::mount(
            folder.as_ptr(),
            folder.as_ptr(),
            none,
            libc::MS_BIND,
            ptr::null(),
        ))?;
    }
    set_read_only(c"/", true, libc::AT_RECURSIVE)?;
    set_read_only(&folder, false, 0)?;
    let (proc, flags) = (c"proc".as_ptr(), libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC);
    // SAFETY: as above.
    checked(unsafe { libc::mount(proc, c"/proc".as_ptr(), proc, flags, ptr::null()) })?;
    // Older kernels have one limit for the whole machine, which this process may not change.
    let _ = fs::write("/proc/sys/kernel/pid_max", PID_MAX);
    Ok(())
}

fn set_read_only(path: &std::ffi::CStr, read_only: bool, flags: libc::c_int) -> io::Result<()> {
    // SAFETY: all zeros is a value of this type.
    let mut attributes: libc::mount_attr = unsafe { std::mem::zeroed() };
    match read_only {
        true => attributes.attr_set = libc::MOUNT_ATTR_RDONLY,
        false => attributes.attr_clr = libc::MOUNT_ATTR_RDONLY,
    }
    // SAFETY: the path ends with a zero, and the size is that of the attributes.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    checked(result as libc::c_int)
}

fn raise_loopback() -> io::Result<()> {
    // SAFETY: the request is initialised, its name ends with a zero, and the socket is closed once.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        checked(socket)?;
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
        let result = checked(libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw const request));
        libc::close(socket);
        result
    }
}

/// The error of a system call that has just failed.
pub fn checked(result: libc::c_int) -> io::Result<()> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
