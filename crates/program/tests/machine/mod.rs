//! A plain machine that executes lowered programs on numbers, to show that lowering preserves their meaning.
//!
//! Memory is one array of bytes, allocation never reuses, and library functions are the few that the tests call.

mod compute;
mod library;

use mneme_program::*;

pub const FUNCTIONS: u64 = 0x7000_0000;
const MEMORY: usize = 64 << 20;
const MOST_STEPS: u64 = 40_000_000;

/// Why execution ended.
#[derive(Debug, PartialEq)]
pub enum End {
    Exit(i32),
    Abort,
    /// The machine or the lowering does not know something.
    Stop(String),
}

pub struct Machine<'p> {
    pub program: &'p Program,
    pub memory: Vec<u8>,
    pub next: u64,
    globals: Vec<u64>,
    steps: u64,
    depth: u32,
}

struct Frame {
    slots: Vec<u128>,
    variadic: u64,
}

pub fn mask(value: u128, bits: u32) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

pub fn signed(value: u128, bits: u32) -> i128 {
    let shift = 128 - bits;
    ((value << shift) as i128) >> shift
}

pub fn run(program: &Program) -> End {
    let mut machine = Machine {
        program,
        memory: vec![0; MEMORY],
        next: 0x1000,
        globals: Vec::new(),
        steps: 0,
        depth: 0,
    };
    machine.place_globals();
    match machine.start() {
        Ok(code) => End::Exit(code as i32 & 0xff),
        Err(End::Exit(code)) => End::Exit(code & 0xff),
        Err(end) => end,
    }
}

impl Machine<'_> {
    fn start(&mut self) -> Result<u128, End> {
        for &f in &self.program.constructors {
            self.call(f, &[], &[])?;
        }
        let main = self.program.main.expect("a program has a main function");
        let name = self.alloc(8, 16);
        self.memory[name as usize] = b'm';
        let pointer = u64::from(self.program.target.pointer_width / 8);
        let argv = self.alloc(4 * pointer, 16);
        self.store(argv, u128::from(name), pointer as u32)?;
        let args = [1, argv.into(), u128::from(argv + 2 * pointer)];
        let count = self.program.function(main).signature.params.len();
        let result = self.call(main, &args[..count], &[])?;
        Ok(result.first().copied().unwrap_or(0))
    }

    pub fn alloc(&mut self, size: u64, align: u64) -> u64 {
        let start = self.next.next_multiple_of(align.max(1));
        self.next = start + size.max(1);
        start
    }

    fn place_globals(&mut self) {
        for global in &self.program.globals {
            let address = self.alloc(global.size.max(16), global.align);
            self.globals.push(address);
        }
        for (global, &start) in self.program.globals.iter().zip(&self.globals.clone()) {
            for (offset, data) in &global.init {
                let at = start + offset;
                match data {
                    InitData::Bytes(bytes) => {
                        self.memory[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
                    }
                    InitData::Address(constant) => {
                        let value = self.constant(constant);
                        self.store(at, value, self.program.target.pointer_width / 8).unwrap();
                    }
                    InitData::Difference { a, b, addend, bytes } => {
                        let value = self.constant(a).wrapping_sub(self.constant(b));
                        self.store(at, value.wrapping_add(*addend as u128), *bytes).unwrap();
                    }
                }
            }
        }
    }

    fn constant(&self, constant: &Constant) -> u128 {
        let width = self.program.target.pointer_width;
        match constant {
            Constant::Int(n) => (*n).into(),
            Constant::Wide { words, .. } => u128::from(words[0]) | u128::from(words[1]) << 64,
            Constant::Global { global, offset } => {
                mask(self.globals[global.index()].wrapping_add(*offset as u64).into(), width)
            }
            Constant::Function(id) => (FUNCTIONS + 16 * u64::from(id.0)).into(),
            Constant::Undef { .. } => 0,
        }
    }

    pub fn load(&self, at: u64, bytes: u32) -> Result<u128, End> {
        let at = at as usize;
        let Some(found) = self.memory.get(at..at.saturating_add(bytes as usize)) else {
            return Err(End::Stop(format!("a load at {at:#x}")));
        };
        if at < 0x1000 {
            return Err(End::Stop(format!("a load at {at:#x}")));
        }
        Ok(found.iter().rev().fold(0, |n, &b| n << 8 | u128::from(b)))
    }

    pub fn store(&mut self, at: u64, value: u128, bytes: u32) -> Result<(), End> {
        let place = at as usize..(at as usize).saturating_add(bytes as usize);
        match self.memory.get_mut(place) {
            Some(place) if at >= 0x1000 => {
                place.copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
                Ok(())
            }
            _ => Err(End::Stop(format!("a store at {at:#x}"))),
        }
    }

    /// Lays out the variable arguments as if no register held any of them.
    fn variable_area(&mut self, args: &[(Arg, u128)]) -> Result<u64, End> {
        let word = u64::from(self.program.target.pointer_width / 8);
        let area = self.alloc(4096, 16);
        let mut at = area;
        for (arg, value) in args {
            at = at.next_multiple_of(if arg.leads {
                arg.align.into()
            } else {
                arg.ty.bytes().into()
            });
            if let Some((size, _)) = arg.byval {
                let from = *value as usize;
                self.memory.copy_within(from..from + size as usize, at as usize);
                at += u64::from(size);
            } else {
                self.store(at, *value, arg.ty.bytes())?;
                at += u64::from(arg.ty.bytes());
            }
            if word == 8 && arg.ty.bits == 80 {
                at = at.next_multiple_of(16);
            }
            at = if arg.leads && arg.ty.bytes() < 8 && arg.ty.kind != ScalarKind::Float {
                at.next_multiple_of(word)
            } else {
                at
            };
        }
        Ok(area)
    }

    pub fn call(&mut self, id: FunctionId, fixed: &[u128], variadic: &[(Arg, u128)]) -> Result<Vec<u128>, End> {
        let function = self.program.function(id);
        if function.is_declaration() {
            return self.library(&function.name, fixed, variadic);
        }
        if self.depth > 1000 {
            return Err(End::Stop("deep recursion".into()));
        }
        let mut frame = Frame {
            slots: vec![0xdead_beef_dead_beef; function.slots as usize],
            variadic: 0,
        };
        if fixed.len() < function.signature.params.len() {
            return Err(End::Stop("too few arguments".into()));
        }
        frame.slots[..function.signature.params.len()].copy_from_slice(&fixed[..function.signature.params.len()]);
        frame.variadic = self.variable_area(variadic)?;
        self.depth += 1;
        let result = self.execute(function, &mut frame);
        self.depth -= 1;
        result
    }

    fn execute(&mut self, function: &Function, frame: &mut Frame) -> Result<Vec<u128>, End> {
        let mut pc = 0;
        loop {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return Err(End::Stop("too many steps".into()));
            }
            let inst = &function.code[pc as usize];
            let edge = match *inst {
                Inst::Return { first, count } => {
                    let all = &function.operands[first as usize..(first + count) as usize];
                    return Ok(all.iter().map(|&o| self.read(function, frame, o)).collect());
                }
                Inst::Jump { edge } => edge,
                Inst::Branch { cond, yes, no } => {
                    if self.read(function, frame, cond) & 1 == 1 {
                        yes
                    } else {
                        no
                    }
                }
                Inst::CmpBranch {
                    pred,
                    width,
                    a,
                    b,
                    yes,
                    no,
                } => {
                    let (a, b) = (self.read(function, frame, a), self.read(function, frame, b));
                    if compute::compare(pred, width.into(), a, b) {
                        yes
                    } else {
                        no
                    }
                }
                Inst::Switch { switch } => {
                    let switch = &function.switches[switch.index()];
                    let value = mask(self.read(function, frame, switch.value), switch.width.into());
                    let case = switch.cases.binary_search_by_key(&value, |c| c.0.into());
                    case.map_or(switch.default, |i| switch.cases[i].1)
                }
                _ => {
                    self.step(function, frame, inst)?;
                    pc += 1;
                    continue;
                }
            };
            let edge = &function.edges[edge.index()];
            let values: Vec<u128> = edge
                .moves
                .iter()
                .map(|&(_, source)| self.read(function, frame, source))
                .collect();
            for (&(slot, _), value) in edge.moves.iter().zip(values) {
                frame.slots[slot as usize] = value;
            }
            pc = edge.pc;
        }
    }

    fn read(&self, function: &Function, frame: &Frame, operand: Operand) -> u128 {
        match operand.kind() {
            OperandKind::Slot(slot) => frame.slots[slot as usize],
            OperandKind::Constant(i) => self.constant(&function.constants[i as usize]),
        }
    }

    fn step(&mut self, function: &Function, frame: &mut Frame, inst: &Inst) -> Result<(), End> {
        let pointer = self.program.target.pointer_width;
        let read = |m: &Self, frame: &Frame, o| m.read(function, frame, o);
        match *inst {
            Inst::Field { dst, base, offset } => {
                let base = read(self, frame, base);
                frame.slots[dst as usize] = mask(base.wrapping_add(offset as u128), pointer);
            }
            Inst::Index {
                width,
                dst,
                base,
                index,
                scale,
            } => {
                let index = signed(read(self, frame, index), width.into()) * i128::from(scale);
                let base = read(self, frame, base);
                frame.slots[dst as usize] = mask(base.wrapping_add(index as u128), pointer);
            }
            Inst::Gep { dst, base, gep } => {
                let gep = &function.geps[gep.index()];
                let mut address = read(self, frame, base).wrapping_add(gep.offset as u128);
                for &(index, width, scale) in &gep.indices {
                    let index = signed(read(self, frame, index), width.into());
                    address = address.wrapping_add((index * i128::from(scale)) as u128);
                }
                frame.slots[dst as usize] = mask(address, pointer);
            }
            Inst::Load { ty, dst, ptr, .. } => {
                let at = read(self, frame, ptr) as u64;
                frame.slots[dst as usize] = self.load(at, ty.bytes())?;
            }
            Inst::Store { ty, ptr, value, .. } => {
                let at = read(self, frame, ptr) as u64;
                self.store(at, read(self, frame, value), ty.bytes())?;
            }
            Inst::Alloca {
                dst, size, count, site, ..
            } => {
                let bytes = read(self, frame, count) as u64 * u64::from(size);
                let align = self.program.sites[site.index()].align;
                if self.next + bytes > MEMORY as u64 {
                    return Err(End::Stop("out of memory".into()));
                }
                frame.slots[dst as usize] = self.alloc(bytes, align).into();
            }
            Inst::SlotInit { slot } => frame.slots[slot as usize] = 0xdead_beef,
            Inst::SlotLoad { dst, slot, .. } => {
                frame.slots[dst as usize] = frame.slots[slot as usize];
            }
            Inst::SlotStore { slot, value, .. } => {
                frame.slots[slot as usize] = read(self, frame, value);
            }
            Inst::ByvalCopy { slot, size, site } => {
                let from = frame.slots[slot as usize] as usize;
                let to = self.alloc(size.into(), self.program.sites[site.index()].align);
                self.memory.copy_within(from..from + size as usize, to as usize);
                frame.slots[slot as usize] = to.into();
            }
            Inst::MemCopy { dst, src, len, .. } => {
                let (to, from) = (read(self, frame, dst) as usize, read(self, frame, src) as usize);
                let len = read(self, frame, len) as usize;
                self.memory.copy_within(from..from + len, to);
            }
            Inst::MemSet { dst, byte, len, .. } => {
                let (to, len) = (read(self, frame, dst) as usize, read(self, frame, len) as usize);
                let byte = read(self, frame, byte) as u8;
                self.memory[to..to + len].fill(byte);
            }
            Inst::Intrinsic { id } => {
                let intrinsic = &function.intrinsics[id.index()];
                let args: Vec<u128> = intrinsic.args.iter().map(|&a| read(self, frame, a)).collect();
                let results = self.intrinsic(intrinsic, &args, frame.variadic)?;
                if let Some(dst) = intrinsic.dst {
                    for (i, value) in results.into_iter().enumerate() {
                        frame.slots[dst as usize + i] = value;
                    }
                }
            }
            Inst::Call { call } => {
                let call = &function.calls[call.index()];
                let id = match &call.callee {
                    Callee::Direct(id) => *id,
                    Callee::Indirect(target) => {
                        let at = (read(self, frame, *target) as u64).wrapping_sub(FUNCTIONS) / 16;
                        if at >= self.program.functions.len() as u64 {
                            return Err(End::Stop("a call of no function".into()));
                        }
                        FunctionId(at as u32)
                    }
                };
                let mut args: Vec<u128> = call.args.iter().map(|a| read(self, frame, a.value)).collect();
                let fixed = self.program.function(id).signature.params.len().min(args.len());
                let rest = call.args[fixed..]
                    .iter()
                    .copied()
                    .zip(args.split_off(fixed))
                    .collect::<Vec<_>>();
                let results = self.call(id, &args, &rest)?;
                for (i, value) in results.into_iter().enumerate().take(call.results.len()) {
                    frame.slots[call.dst as usize + i] = value;
                }
            }
            Inst::LifetimeStart { .. } | Inst::LifetimeEnd { .. } | Inst::StackRestore { .. } => {}
            Inst::StackSave { dst } => frame.slots[dst as usize] = 0,
            Inst::Unreachable => return Err(End::Stop("unreachable code".into())),
            Inst::Spin => return Err(End::Stop("an endless loop".into())),
            Inst::Unsupported { what } => {
                return Err(End::Stop(function.unsupported[what as usize].clone()));
            }
            _ => {
                let read = |o| self.read(function, frame, o);
                let (dst, value) = compute::compute(inst, read);
                frame.slots[dst as usize] = value;
            }
        }
        Ok(())
    }
}
