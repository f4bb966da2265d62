//! Functions of the C library called natively with concrete arguments, in a helper process, so that a crash or a hang
//! there does not harm the run.
//!
//! The helper is our own binary, started anew: `fork` without `exec` is not safe beside other threads. It lives as long
//! as the run and answers requests, each a line of JSON. Only functions that compute, and change nothing outside their
//! arguments, are called (`math.h`). On x86-64, integers and floating-point numbers are passed in separate registers
//! and `long double` on the stack, so one call with all of them filled serves every prototype.

use serde::{Deserialize, Serialize};
use std::ffi::{CString, OsString};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// An argument of a native call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Arg {
    Int(u64),
    /// The bit pattern of a `float`, `double` or `_Float128`.
    Float(u128),
    /// That of a `long double`.
    Extended(u128),
    /// Memory that the function may read and change; passed by address.
    Buffer(Vec<u8>),
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Returns {
    Int,
    Float,
    Extended,
}

/// The result: its bits, and the buffers as the function left them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    pub result: u128,
    pub buffers: Vec<Vec<u8>>,
}

/// The helper, started when it is first needed and after a crash.
pub struct Native {
    command: Vec<OsString>,
    helper: Option<Helper>,
}

struct Helper {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

/// How long a call may take.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);

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

/// May this function be called natively? For other types, a suffix is added to its name for `double`.
pub fn is_allowed(name: &str) -> bool {
    let stems = ["", "f", "l", "f128"].map(|suffix| name.strip_suffix(suffix));
    stems.iter().flatten().any(|stem| MATH.binary_search(stem).is_ok())
}

impl Native {
    /// `command` starts a process that runs [`serve_native_calls`]; without one every call fails.
    pub fn new(command: &[OsString]) -> Native {
        Native {
            command: command.to_vec(),
            helper: None,
        }
    }

    /// `None`: the call crashed, hung, or there is no such function.
    pub fn call(&mut self, name: &str, args: &[Arg], returns: Returns) -> Option<Reply> {
        if self.helper.is_none() {
            self.helper = Helper::start(&self.command).ok();
        }
        let reply = self.helper.as_mut()?.call(name, args, returns);
        if reply.is_err() {
            self.helper = None;
        }
        reply.ok().flatten()
    }
}

impl Helper {
    fn start(command: &[OsString]) -> io::Result<Helper> {
        let (program, args) = command.split_first().ok_or(io::ErrorKind::NotFound)?;
        let mut process = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Ctrl-C is for the run, which ends the helper when it is done.
            .process_group(0)
            .spawn()?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (to, from) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        let from = BufReader::new(from);
        Ok(Helper { process, to, from })
    }

    fn call(&mut self, name: &str, args: &[Arg], returns: Returns) -> io::Result<Option<Reply>> {
        self.to.write_all(&line(&(name, args, returns))?)?;
        self.wait()?;
        let mut reply = String::new();
        self.from.read_line(&mut reply)?;
        Ok(serde_json::from_str(&reply)?)
    }

    fn wait(&self) -> io::Result<()> {
        let mut poll = libc::pollfd {
            fd: self.from.get_ref().as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: `poll` is one valid pollfd that lives through the call.
        let ready = unsafe { libc::poll(&mut poll, 1, CALL_TIMEOUT.as_millis() as i32) };
        match ready == 1 && poll.revents & libc::POLLIN != 0 {
            true => Ok(()),
            false => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn line(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// The helper process: answers calls on standard input until it closes.
pub fn serve_native_calls() -> io::Result<()> {
    // SAFETY: a system call without pointers. A function that hangs does not outlive the run.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    serve(io::stdin().lock(), io::stdout().lock())
}

fn serve(requests: impl BufRead, mut replies: impl Write) -> io::Result<()> {
    for request in requests.lines() {
        let (name, args, returns): (String, Vec<Arg>, Returns) = serde_json::from_str(&request?)?;
        replies.write_all(&line(&invoke(name, args, returns))?)?;
        replies.flush()?;
    }
    Ok(())
}

fn invoke(name: String, args: Vec<Arg>, returns: Returns) -> Option<Reply> {
    let (mut ints, mut floats, mut extended) = (Vec::new(), Vec::new(), Vec::new());
    let mut buffers = Vec::new();
    for arg in args {
        match arg {
            Arg::Int(n) => ints.push(n),
            Arg::Float(bits) => floats.push(bits),
            Arg::Extended(bits) => extended.push(bits),
            Arg::Buffer(mut bytes) => {
                ints.push(bytes.as_mut_ptr() as u64);
                buffers.push(bytes);
            }
        }
    }
    let mut registers = Registers::default();
    registers.ints.get_mut(..ints.len())?.copy_from_slice(&ints);
    registers.floats.get_mut(..floats.len())?.copy_from_slice(&floats);
    registers.stack.get_mut(..extended.len())?.copy_from_slice(&extended);
    let name = CString::new(name).ok()?;
    // SAFETY: the symbol is a function of libm with at most as many arguments of each kind as are filled; registers and
    // stack that it does not read are harmless. This is the helper: should it crash, the run sees the pipe close.
    let result = unsafe {
        let library = libc::dlopen(c"libm.so.6".as_ptr(), libc::RTLD_NOW);
        let symbol = libc::dlsym(library, name.as_ptr());
        if library.is_null() || symbol.is_null() {
            return None;
        }
        registers.call(symbol, returns)
    };
    Some(Reply { result, buffers })
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
    /// `function` is a function of the System V ABI that is sound to call with these arguments and returns what
    /// `returns` says.
    unsafe fn call(mut self, function: *mut libc::c_void, returns: Returns) -> u128 {
        macro_rules! call {
            ($after:literal) => {{
                let int: u64;
                // SAFETY: the stack pointer is restored, and `self` outlives the call; the callee preserves r12 to r15.
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

    /// A call as the helper answers it, serialised there and back.
    fn call(name: &str, args: &[Arg], returns: Returns) -> Option<Reply> {
        let mut reply = Vec::new();
        serve(&*line(&(name, args, returns)).unwrap(), &mut reply).unwrap();
        serde_json::from_slice(&reply).unwrap()
    }

    fn double(value: f64) -> Arg {
        Arg::Float(value.to_bits().into())
    }

    /// 3.0 and 9.0 in the formats of 80 and of 128 bits; the exponent of a pointer, and an integer among them.
    #[test]
    fn wide_numbers_travel() {
        let (three, nine) = (0x4000_c000_0000_0000_0000, 0x4002_9000_0000_0000_0000);
        let root = call("sqrtl", &[Arg::Extended(nine)], Returns::Extended);
        assert_eq!(root.unwrap().result, three);
        let product = call(
            "fmal",
            &[Arg::Extended(three), Arg::Extended(three), Arg::Extended(0)],
            Returns::Extended,
        );
        assert_eq!(product.unwrap().result, nine);
        let scaled = call("ldexpl", &[Arg::Extended(three), Arg::Int(3)], Returns::Extended);
        assert_eq!(scaled.unwrap().result, 0x4003_c000_0000_0000_0000);
        let rounded = call("lrintl", &[Arg::Extended(nine)], Returns::Int);
        assert_eq!(rounded.unwrap().result, 9);
        let root = call("sqrtf128", &[Arg::Float(0x40022 << 108)], Returns::Float);
        assert_eq!(root.unwrap().result, 0x40008 << 108);
    }

    #[test]
    fn floats_ints_and_buffers_travel() {
        let pow = call("pow", &[double(2.0), double(10.0)], Returns::Float);
        assert_eq!(pow.unwrap().result as u64, 1024f64.to_bits());
        let frexp = call("frexp", &[double(12.0), Arg::Buffer(vec![0; 4])], Returns::Float).unwrap();
        assert_eq!(
            (frexp.result as u64, frexp.buffers),
            (0.75f64.to_bits(), vec![vec![4, 0, 0, 0]])
        );
        let sqrtf = call("sqrtf", &[Arg::Float(9f32.to_bits().into())], Returns::Float).unwrap();
        assert_eq!(sqrtf.result as u32, 3f32.to_bits());
    }

    #[test]
    fn what_is_not_there_is_not_called() {
        assert_eq!(call("no_such_function", &[], Returns::Int), None);
        assert_eq!(call("sin", &vec![Arg::Float(0); 9], Returns::Float), None);
        assert_eq!(Native::new(&[]).call("sin", &[double(0.0)], Returns::Float), None);
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(MATH.is_sorted());
        assert!(is_allowed("sinf") && is_allowed("frexp") && !is_allowed("system"));
    }
}
