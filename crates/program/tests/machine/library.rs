//! The library functions that the tests call.

use super::{End, Machine, mask};
use mneme_program::Arg;

impl Machine<'_> {
    fn bytes(&self, at: u128, len: u128) -> Result<&[u8], End> {
        let (at, len) = (at as usize, len as usize);
        let found = self.memory.get(at..at.saturating_add(len));
        found.ok_or_else(|| End::Stop(format!("{len} bytes at {at:#x}")))
    }

    fn string(&self, at: u128) -> Result<Vec<u8>, End> {
        let rest = self.bytes(at, (self.memory.len() as u128).saturating_sub(at))?;
        Ok(rest.iter().copied().take_while(|&b| b != 0).collect())
    }

    fn put(&mut self, at: u128, bytes: &[u8]) -> Result<(), End> {
        self.bytes(at, bytes.len() as u128)?;
        self.memory[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    pub fn library(&mut self, name: &str, fixed: &[u128], variadic: &[(Arg, u128)]) -> Result<Vec<u128>, End> {
        let mut all = fixed.to_vec();
        all.extend(variadic.iter().map(|&(_, value)| value));
        let arg = |i: usize| all.get(i).copied().unwrap_or(0);
        let order = |o: std::cmp::Ordering| vec![mask(o as i128 as u128, 32)];
        Ok(match name {
            "abort" | "__assert_fail" => return Err(End::Abort),
            "exit" | "_exit" => return Err(End::Exit(arg(0) as i32)),
            "malloc" | "calloc" => {
                let size = if name == "malloc" { arg(0) } else { arg(0) * arg(1) };
                if size > 8 << 20 {
                    return Ok(vec![0]);
                }
                vec![self.alloc(size as u64, 16).into()]
            }
            "free" => Vec::new(),
            "printf" | "puts" | "putchar" | "fprintf" | "fflush" | "putc" | "fputs" => vec![0],
            "memcpy" | "memmove" => {
                let data = self.bytes(arg(1), arg(2))?.to_vec();
                self.put(arg(0), &data)?;
                vec![arg(0)]
            }
            "memset" => {
                self.put(arg(0), &vec![arg(1) as u8; arg(2) as usize])?;
                vec![arg(0)]
            }
            "memcmp" => order(self.bytes(arg(0), arg(2))?.cmp(self.bytes(arg(1), arg(2))?)),
            "strlen" => vec![self.string(arg(0))?.len() as u128],
            "strcmp" => order(self.string(arg(0))?.cmp(&self.string(arg(1))?)),
            "strncmp" => {
                let cut = |s: Vec<u8>| s.into_iter().take(arg(2) as usize).collect::<Vec<_>>();
                order(cut(self.string(arg(0))?).cmp(&cut(self.string(arg(1))?)))
            }
            "strcpy" => {
                let mut text = self.string(arg(1))?;
                text.push(0);
                self.put(arg(0), &text)?;
                vec![arg(0)]
            }
            "strchr" => {
                let text = self.string(arg(0))?;
                let found = text.iter().chain([&0]).position(|&b| b == arg(1) as u8);
                vec![found.map_or(0, |i| arg(0) + i as u128)]
            }
            _ => return Err(End::Stop(format!("a call of {name}"))),
        })
    }
}
