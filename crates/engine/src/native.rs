//! Functions of the C library called natively with concrete arguments, in a child process: a crash or a hang there is not ours.
//!
//! Only functions that compute and change nothing outside their arguments are called (`math.h`). On x86-64 integers and floating-point
//! numbers travel in separate registers and `long double` on the stack, so one call with all of them filled serves every prototype.

use std::ffi::CString;
use std::io::{self, Read, Write};
use std::os::fd::FromRawFd;
use std::time::Duration;

/// An argument of a native call.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    Int(u64),
    /// The bit pattern of a `float`, `double` or `_Float128`.
    Float(u128),
    /// That of a `long double`.
    Extended(u128),
    /// Memory that the function may read and change; passed by address.
    Buffer(Vec<u8>),
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Returns {
    Int,
    Float,
    Extended,
}

/// What came back: the result's bits and the buffers as the function left them.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub result: u128,
    pub buffers: Vec<Vec<u8>>,
}

#[derive(Default)]
pub struct Native {
    child: Option<Child>,
}

struct Child {
    pid: libc::pid_t,
    to: std::fs::File,
    from: std::fs::File,
}

const PATIENCE: Duration = Duration::from_secs(5);

const MATH: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "drem",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "hypot",
    "ilogb",
    "j0",
    "j1",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "modf",
    "nan",
    "nearbyint",
    "nextafter",
    "pow",
    "remainder",
    "remquo",
    "rint",
    "round",
    "scalb",
    "scalbln",
    "scalbn",
    "significand",
    "sin",
    "sincos",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "y0",
    "y1",
];

/// May this function be called natively? For every type it has the name of the one for `double` with something behind.
pub fn is_allowed(name: &str) -> bool {
    let stems = ["", "f", "l", "f128"].map(|suffix| name.strip_suffix(suffix));
    stems.iter().flatten().any(|stem| MATH.binary_search(stem).is_ok())
}

impl Native {
    /// `None`: the call crashed, hung, or there is no such function.
    pub fn call(&mut self, name: &str, args: &[Arg], returns: Returns) -> Option<Reply> {
        if self.child.is_none() {
            self.child = Child::start().ok();
        }
        let reply = self.child.as_mut()?.call(name, args, returns);
        if reply.is_err() {
            self.child = None;
        }
        reply.ok().flatten()
    }
}

impl Child {
    fn start() -> io::Result<Child> {
        let (child_in, to) = pipe()?;
        let (from, child_out) = pipe()?;
        // SAFETY: the child runs only `serve`, which uses the two pipes and exits; it never returns into this process's code.
        let pid = unsafe { libc::fork() };
        if pid < 0 {
            return Err(io::Error::last_os_error());
        }
        if pid == 0 {
            // SAFETY: a system call. Whatever the function does, it does not outlive us.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
            drop(to);
            drop(from);
            let _ = serve(child_in, child_out);
            // SAFETY: ends the child without running the parent's exit handlers.
            unsafe { libc::_exit(0) }
        }
        Ok(Child { pid, to, from })
    }

    fn call(&mut self, name: &str, args: &[Arg], returns: Returns) -> io::Result<Option<Reply>> {
        let mut request = Vec::new();
        put_bytes(&mut request, name.as_bytes());
        request.push(returns as u8);
        request.push(args.len() as u8);
        for arg in args {
            match arg {
                Arg::Int(n) => {
                    request.push(0);
                    request.extend(n.to_le_bytes());
                }
                Arg::Float(bits) | Arg::Extended(bits) => {
                    request.push(if matches!(arg, Arg::Float(_)) { 1 } else { 3 });
                    request.extend(bits.to_le_bytes());
                }
                Arg::Buffer(bytes) => {
                    request.push(2);
                    put_bytes(&mut request, bytes);
                }
            }
        }
        self.to.write_all(&request)?;
        self.wait()?;
        let mut found = [0];
        self.from.read_exact(&mut found)?;
        if found[0] == 0 {
            return Ok(None);
        }
        let result = get_u128(&mut self.from)?;
        let count = args.iter().filter(|arg| matches!(arg, Arg::Buffer(_))).count();
        let buffers = (0..count)
            .map(|_| get_bytes(&mut self.from))
            .collect::<io::Result<_>>()?;
        Ok(Some(Reply { result, buffers }))
    }

    fn wait(&self) -> io::Result<()> {
        use std::os::fd::AsRawFd;
        let mut poll = libc::pollfd {
            fd: self.from.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: `poll` is one valid pollfd that lives through the call.
        let ready = unsafe { libc::poll(&mut poll, 1, PATIENCE.as_millis() as i32) };
        if ready == 1 && poll.revents & libc::POLLIN != 0 {
            Ok(())
        } else {
            Err(io::ErrorKind::TimedOut.into())
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // SAFETY: the pid is that of our own child, which nobody else waits for.
        unsafe {
            libc::kill(self.pid, libc::SIGKILL);
            libc::waitpid(self.pid, std::ptr::null_mut(), 0);
        }
    }
}

fn pipe() -> io::Result<(std::fs::File, std::fs::File)> {
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for the two descriptors, which are ours alone from here on.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((std::fs::File::from_raw_fd(ends[0]), std::fs::File::from_raw_fd(ends[1])))
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u64).to_le_bytes());
    out.extend(bytes);
}

fn get_u64(from: &mut std::fs::File) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn get_u128(from: &mut std::fs::File) -> io::Result<u128> {
    let mut bytes = [0; 16];
    from.read_exact(&mut bytes)?;
    Ok(u128::from_le_bytes(bytes))
}

fn get_bytes(from: &mut std::fs::File) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; get_u64(from)? as usize];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The child: answers calls until the pipe closes.
fn serve(mut from: std::fs::File, mut to: std::fs::File) -> io::Result<()> {
    loop {
        let name = get_bytes(&mut from)?;
        let mut head = [0; 2];
        from.read_exact(&mut head)?;
        let (mut ints, mut floats, mut extended) = (Vec::new(), Vec::new(), Vec::new());
        let mut buffers = Vec::new();
        for _ in 0..head[1] {
            let mut kind = [0];
            from.read_exact(&mut kind)?;
            match kind[0] {
                0 => ints.push(get_u64(&mut from)?),
                1 => floats.push(get_u128(&mut from)?),
                3 => extended.push(get_u128(&mut from)?),
                _ => {
                    let mut buffer = get_bytes(&mut from)?;
                    ints.push(buffer.as_mut_ptr() as u64);
                    buffers.push(buffer);
                }
            }
        }
        let mut reply = Vec::new();
        let returns = match head[0] {
            0 => Returns::Int,
            1 => Returns::Float,
            _ => Returns::Extended,
        };
        match invoke(name, &ints, &floats, &extended, returns) {
            None => reply.push(0),
            Some(result) => {
                reply.push(1);
                reply.extend(result.to_le_bytes());
                buffers.iter().for_each(|buffer| put_bytes(&mut reply, buffer));
            }
        }
        to.write_all(&reply)?;
    }
}

fn invoke(name: Vec<u8>, ints: &[u64], floats: &[u128], extended: &[u128], returns: Returns) -> Option<u128> {
    if ints.len() > 6 || floats.len() > 8 || extended.len() > 4 {
        return None;
    }
    let mut registers = Registers::default();
    registers.ints[..ints.len()].copy_from_slice(ints);
    registers.floats[..floats.len()].copy_from_slice(floats);
    registers.stack[..extended.len()].copy_from_slice(extended);
    let name = CString::new(name).ok()?;
    // SAFETY: the symbol is a function of libm with at most as many arguments of each kind as are filled; registers and stack that it
    // does not read are harmless. This is the child: should it crash, the parent sees the pipe close.
    unsafe {
        let library = libc::dlopen(c"libm.so.6".as_ptr(), libc::RTLD_NOW);
        let symbol = libc::dlsym(library, name.as_ptr());
        if library.is_null() || symbol.is_null() {
            return None;
        }
        Some(registers.call(symbol, returns))
    }
}

/// What a function of the System V ABI may find when it is called.
#[derive(Default)]
#[repr(C, align(16))]
struct Registers {
    floats: [u128; 8],
    stack: [u128; 4],
    ints: [u64; 6],
}

impl Registers {
    /// The bits of the result.
    ///
    /// # Safety
    /// `function` is a function of the System V ABI that is sound to call with these arguments and returns what `returns` says.
    unsafe fn call(mut self, function: *mut libc::c_void, returns: Returns) -> u128 {
        macro_rules! call {
            ($after:literal) => {{
                let int: u64;
                // SAFETY: the stack pointer is put back, and `self` outlives the call; r12 to r15 are the callee's to keep.
                unsafe {
                    std::arch::asm!(
                        "mov r12, rsp",
                        "sub rsp, 64",
                        "and rsp, -16",
                        "movaps xmm0, [r13 + 128]",
                        "movaps xmm1, [r13 + 144]",
                        "movaps xmm2, [r13 + 160]",
                        "movaps xmm3, [r13 + 176]",
                        "movaps [rsp], xmm0",
                        "movaps [rsp + 16], xmm1",
                        "movaps [rsp + 32], xmm2",
                        "movaps [rsp + 48], xmm3",
                        "movaps xmm0, [r13]",
                        "movaps xmm1, [r13 + 16]",
                        "movaps xmm2, [r13 + 32]",
                        "movaps xmm3, [r13 + 48]",
                        "movaps xmm4, [r13 + 64]",
                        "movaps xmm5, [r13 + 80]",
                        "movaps xmm6, [r13 + 96]",
                        "movaps xmm7, [r13 + 112]",
                        "call r14",
                        "mov rsp, r12",
                        $after,
                        in("rdi") self.ints[0],
                        in("rsi") self.ints[1],
                        in("rdx") self.ints[2],
                        in("rcx") self.ints[3],
                        in("r8") self.ints[4],
                        in("r9") self.ints[5],
                        inout("rax") 8u64 => int,
                        out("r12") _,
                        in("r13") &raw mut self,
                        in("r14") function,
                        clobber_abi("C"),
                    )
                }
                int
            }};
        }
        match returns {
            Returns::Extended => {
                self.floats[0] = 0;
                let _: u64 = call!("fstp tbyte ptr [r13]");
                self.floats[0] & ((1 << 80) - 1)
            }
            _ => {
                let int = call!("movaps [r13], xmm0");
                if returns == Returns::Int {
                    int.into()
                } else {
                    self.floats[0]
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(value: f64) -> Arg {
        Arg::Float(value.to_bits().into())
    }

    /// 3.0 and 9.0 in the formats of 80 and of 128 bits; the exponent of a pointer, and an integer among them.
    #[test]
    fn wide_numbers_travel() {
        let mut native = Native::default();
        let (three, nine) = (0x4000_c000_0000_0000_0000, 0x4002_9000_0000_0000_0000);
        let root = native.call("sqrtl", &[Arg::Extended(nine)], Returns::Extended);
        assert_eq!(root.unwrap().result, three);
        let product = native.call(
            "fmal",
            &[Arg::Extended(three), Arg::Extended(three), Arg::Extended(0)],
            Returns::Extended,
        );
        assert_eq!(product.unwrap().result, nine);
        let scaled = native.call("ldexpl", &[Arg::Extended(three), Arg::Int(3)], Returns::Extended);
        assert_eq!(scaled.unwrap().result, 0x4003_c000_0000_0000_0000);
        let rounded = native.call("lrintl", &[Arg::Extended(nine)], Returns::Int);
        assert_eq!(rounded.unwrap().result, 9);
        let root = native.call("sqrtf128", &[Arg::Float(0x40022 << 108)], Returns::Float);
        assert_eq!(root.unwrap().result, 0x40008 << 108);
    }

    #[test]
    fn floats_ints_and_buffers_travel() {
        let mut native = Native::default();
        let pow = native.call("pow", &[double(2.0), double(10.0)], Returns::Float);
        assert_eq!(pow.unwrap().result as u64, 1024f64.to_bits());
        let frexp = native
            .call("frexp", &[double(12.0), Arg::Buffer(vec![0; 4])], Returns::Float)
            .unwrap();
        assert_eq!(
            (frexp.result as u64, frexp.buffers),
            (0.75f64.to_bits(), vec![vec![4, 0, 0, 0]])
        );
        let sqrtf = native
            .call("sqrtf", &[Arg::Float(9f32.to_bits().into())], Returns::Float)
            .unwrap();
        assert_eq!(sqrtf.result as u32, 3f32.to_bits());
    }

    #[test]
    fn a_crash_is_survived() {
        let mut native = Native::default();
        // frexp writes through its second argument.
        assert_eq!(
            native.call("frexp", &[Arg::Float(0), Arg::Int(8)], Returns::Float),
            None
        );
        assert!(native.call("sin", &[Arg::Float(0)], Returns::Float).is_some());
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(MATH.is_sorted());
        assert!(is_allowed("sinf") && is_allowed("frexp") && !is_allowed("system"));
    }
}
