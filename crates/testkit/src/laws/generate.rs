//! Random scripts: mostly valid accesses, some invalid ones, on few small objects, so that accesses meet.

use super::script::{INDICES, Input, Linear, Number, Pointer, SYMBOLS, Script, Step, WIDTHS};
use mneme_memory::{AccessKind, Death};
use mneme_term::testing::Random;
use mneme_term::{BaseKind, truncate};

/// What a script may contain.
#[derive(Copy, Clone, Debug)]
pub struct Style {
    pub steps: u64,
    /// Of 100 numbers (offsets, lengths), how many are symbolic.
    pub symbolic: u64,
    /// Of 100 pointers, how many are choices between several.
    pub choices: u64,
    /// Objects that cross the borders of pages, chunks and the like.
    pub large: bool,
    /// Of 100 allocations on heap and stack, and of 100 lengths of inputs, how many are symbolic.
    pub sizes: u64,
    /// Pointers that are stored, loaded and used.
    pub pointers: bool,
}

struct Generator {
    random: Random,
    style: Style,
    script: Script,
    objects: Vec<(BaseKind, u64)>,
    /// Widths of the loaded values.
    registers: Vec<u32>,
}

const REGISTERS: usize = 4;

pub fn script(seed: u64, style: Style) -> Script {
    let mut random = Random::new(seed);
    let pointer_width = if random.below(4) == 0 { 32 } else { 64 };
    let mut inputs = [0; INDICES.len()];
    for (input, &(bits, _)) in inputs.iter_mut().zip(&INDICES) {
        *input = match random.below(12) {
            0 => truncate(random.next(), if bits == 0 { pointer_width } else { bits }),
            _ => random.below(12),
        };
    }
    let mut bounds = Vec::new();
    for (k, &input) in inputs.iter().enumerate() {
        if style.symbolic > 0 && input < 12 && random.below(3) > 0 {
            bounds.push((k, input + 1 + random.below(12)));
        }
    }
    let script = Script {
        pointer_width,
        inputs,
        data: random.next(),
        bounds,
        steps: Vec::new(),
    };
    let mut generator = Generator {
        random,
        style,
        script,
        objects: Vec::new(),
        registers: vec![0; REGISTERS],
    };
    for _ in 0..2 + generator.random.below(2) {
        generator.alloc();
    }
    for _ in 0..style.steps {
        let step = generator.step();
        generator.script.steps.extend(step);
    }
    generator.read_back();
    generator.script
}

impl Generator {
    fn chance(&mut self, percent: u64) -> bool {
        self.random.below(100) < percent
    }

    fn push(&mut self, step: Step) {
        self.script.steps.push(step);
    }

    fn alloc(&mut self) {
        let object = self.objects.len();
        let kind = *self
            .random
            .pick(&[BaseKind::Heap, BaseKind::Heap, BaseKind::Stack, BaseKind::Global]);
        let size = match self.random.below(10) {
            0 => self.random.below(4),
            1 if self.style.large => 4090 + self.random.below(30),
            2 if self.style.large => 8180 + self.random.below(4200),
            3 => 64,
            _ => 4 + self.random.below(28),
        };
        let zero = match kind {
            BaseKind::Heap => self.chance(40),
            kind => kind == BaseKind::Global,
        };
        let align = 1 << self.random.below(5);
        let symbolic = kind != BaseKind::Global && size <= 64 && self.style.sizes > 0 && self.chance(self.style.sizes);
        let exact = match symbolic {
            true => self.exactly(size),
            false => Number::Const(size),
        };
        self.push(Step::Alloc {
            object,
            kind,
            size: exact,
            align,
            zero,
        });
        self.objects.push((kind, size));
        if kind != BaseKind::Global {
            return;
        }
        if size > 0 && self.chance(60) {
            let at = self.random.below(size);
            let bytes = self.bytes(1 + self.random.clone().below((size - at).min(20)) as usize);
            self.push(Step::InitBytes { object, at, bytes });
        }
        let word = self.script.pointer_width / 8;
        if size >= word as u64 && self.chance(30) {
            let at = self.random.below(size - word as u64 + 1);
            let p = self.direct();
            self.push(Step::InitValue {
                object,
                at,
                bytes: word,
                value: Input::Pointer(p),
            });
        }
        if self.chance(15) {
            self.push(Step::Protect { object });
        }
    }

    fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.random.next() as u8).collect()
    }

    /// A number that is `value` under the script's inputs, or near it.
    fn number(&mut self, value: u64) -> Number {
        if !self.chance(self.style.symbolic) {
            return Number::Const(truncate(value, self.script.pointer_width));
        }
        let symbol = self.random.below(INDICES.len() as u64) as usize;
        let scale = *self.random.pick(&[1, 1, 1, 2, 3, 4, 4, 8]);
        let scaled = self.script.inputs[symbol].wrapping_mul(scale);
        let plus = if self.chance(30) {
            self.random.below(8)
        } else {
            value.wrapping_sub(scaled)
        };
        Number::Linear(Linear { symbol, scale, plus })
    }

    /// A number, symbolic in most cases, that is `value` under the script's inputs.
    fn exactly(&mut self, value: u64) -> Number {
        let symbol = self.random.below(INDICES.len() as u64) as usize;
        if self.script.inputs[symbol] >= 12 {
            // Extension could change the number.
            return Number::Const(value);
        }
        let scale = *self.random.pick(&[1, 1, 1, 2, 4, 8]);
        let plus = value.wrapping_sub(self.script.inputs[symbol].wrapping_mul(scale));
        Number::Linear(Linear { symbol, scale, plus })
    }

    /// Where `n` bytes fit into an object, or nearly.
    fn offset(&mut self, size: u64, n: u64) -> u64 {
        if n > size || self.chance(6) {
            return (size + self.random.below(12)).wrapping_sub(6);
        }
        let last = size - n;
        if last > 4000 && self.chance(70) {
            let border = 4096 * (1 + self.random.below(size / 4096 + 1));
            return (border + self.random.below(24)).saturating_sub(12).min(last);
        }
        let at = self.random.below(last + 1);
        if self.chance(50) { at & !3 } else { at }
    }

    fn at(&mut self, n: u64) -> Pointer {
        let object = self.random.below(self.objects.len() as u64) as usize;
        let offset = self.offset(self.objects[object].1, n);
        Pointer::At {
            object,
            at: self.number(offset),
        }
    }

    /// A pointer at a concrete place.
    fn direct(&mut self) -> Pointer {
        let object = self.random.below(self.objects.len() as u64) as usize;
        let at = Number::Const(self.random.below(self.objects[object].1 + 1));
        Pointer::At { object, at }
    }

    /// The start of `object` or of another heap object, depending on a symbol.
    fn one_of_two(&mut self, object: usize) -> Pointer {
        let other = self.object(BaseKind::Heap).unwrap_or(object);
        let symbol = self.random.below(INDICES.len() as u64) as usize;
        let start = |object| {
            let at = Number::Const(0);
            Box::new(Pointer::At { object, at })
        };
        Pointer::Choice {
            symbol,
            below: self.random.below(8),
            yes: start(object),
            no: start(other),
        }
    }

    /// A pointer for an access of `n` bytes.
    fn pointer(&mut self, n: u64) -> Pointer {
        if self.chance(self.style.choices) {
            let symbol = self.random.below(INDICES.len() as u64) as usize;
            let arm = |generator: &mut Self| match generator.random.below(12) {
                0 => Pointer::Number(Number::Const(0)),
                _ => generator.at(n),
            };
            return if self.chance(50) {
                let below = self.random.below(8);
                let (yes, no) = (Box::new(arm(self)), Box::new(arm(self)));
                Pointer::Choice { symbol, below, yes, no }
            } else {
                Pointer::Table {
                    symbol,
                    entries: Box::new([(); 4].map(|()| arm(self))),
                }
            };
        }
        match self.random.below(100) {
            0 => Pointer::Number(Number::Const(self.random.below(5000))),
            1 => Pointer::Number(self.number(0)),
            2..=5 => {
                let object = self.random.below(self.objects.len() as u64) as usize;
                let offset = self.offset(self.objects[object].1, n);
                Pointer::Address {
                    object,
                    at: self.number(offset),
                }
            }
            6..=20 if self.style.pointers => {
                let register = self.random.below(REGISTERS as u64) as usize;
                if self.registers[register] != self.script.pointer_width / 8 {
                    return self.at(n);
                }
                Pointer::Register {
                    register,
                    plus: self.random.below(4),
                }
            }
            _ => self.at(n),
        }
    }

    fn input(&mut self, n: u32) -> Input {
        let word = self.script.pointer_width / 8;
        let fitting: Vec<usize> = (0..REGISTERS).filter(|&r| self.registers[r] == n).collect();
        match self.random.below(10) {
            0..=1 if self.style.pointers && n == word => Input::Pointer(self.direct()),
            2 if self.style.pointers && n == word => Input::Pointer(self.at(1)),
            3 if self.style.pointers && n == word => Input::Pointer(self.pointer(1)),
            3..=4 if !fitting.is_empty() => Input::Register(*self.random.pick(&fitting)),
            5 if self.style.symbolic > 0 && n > 1 => {
                let widths: Vec<u32> = WIDTHS.into_iter().filter(|&width| width < n).collect();
                let width = *self.random.pick(&widths);
                let low = self.bytes((n - width) as usize);
                Input::Mixed {
                    low,
                    symbol: self.random.below(SYMBOLS as u64) as usize,
                    width,
                }
            }
            6..=7 if self.style.symbolic > 0 => Input::Symbol(self.random.below(SYMBOLS as u64) as usize),
            _ => Input::Bytes(self.bytes(n as usize)),
        }
    }

    fn width(&mut self) -> u32 {
        if self.style.pointers && self.chance(35) {
            return self.script.pointer_width / 8;
        }
        *self.random.pick(&WIDTHS)
    }

    fn object(&mut self, kind: BaseKind) -> Option<usize> {
        let object = self.random.below(self.objects.len() as u64) as usize;
        (self.objects[object].0 == kind).then_some(object)
    }

    fn step(&mut self) -> Option<Step> {
        match self.random.below(100) {
            0..=2 => {
                self.alloc();
                None
            }
            3..=4 => Some(Step::Free {
                p: match self.object(BaseKind::Heap) {
                    Some(object) if self.chance(self.style.choices) => self.one_of_two(object),
                    Some(object) if self.chance(80) => Pointer::At {
                        object,
                        at: self.number(0),
                    },
                    _ => self.pointer(1),
                },
            }),
            5 => {
                let death = *self.random.pick(&[Death::Return, Death::Scope]);
                self.object(BaseKind::Stack).map(|object| Step::End { object, death })
            }
            6..=8 => self.object(BaseKind::Stack).map(|object| Step::Begin { object }),
            9 => Some(Step::Expose {
                object: self.random.below(self.objects.len() as u64) as usize,
            }),
            10..=34 => {
                let bytes = self.width();
                let p = self.pointer(bytes as u64);
                let register = self.random.below(REGISTERS as u64) as usize;
                self.registers[register] = bytes;
                Some(Step::Load { p, bytes, register })
            }
            35..=69 => {
                let bytes = self.width();
                let (p, value) = (self.pointer(bytes as u64), self.input(bytes));
                Some(Step::Store { p, bytes, value })
            }
            70..=79 => {
                let len = if self.style.large && self.chance(20) { 4100 } else { 24 };
                let len = self.random.below(len);
                let (to, from) = (self.pointer(len), self.pointer(len));
                Some(Step::Copy {
                    to,
                    from,
                    len: self.number(len),
                })
            }
            80..=86 => {
                let len = self.length();
                let (p, byte) = (self.pointer(len), self.input(1));
                Some(Step::Fill {
                    p,
                    byte,
                    len: self.number(len),
                })
            }
            87..=89 if self.style.symbolic > 0 => {
                let bytes = *self.random.pick(&WIDTHS);
                let p = self.pointer(bytes as u64);
                Some(Step::MakeBits {
                    p,
                    bytes,
                    symbol: self.random.below(SYMBOLS as u64) as usize,
                })
            }
            90..=92 if self.style.symbolic > 0 => {
                let len = self.length().min(64);
                let p = self.pointer(len);
                let len = match self.style.sizes > 0 && self.chance(self.style.sizes) {
                    true => self.exactly(len),
                    false => Number::Const(len),
                };
                Some(Step::MakeBytes {
                    p,
                    len,
                    array: self.random.below(SYMBOLS as u64) as usize,
                })
            }
            93..=95 => {
                let len = self.random.below(20);
                let kind = *self.random.pick(&[AccessKind::Read, AccessKind::Write]);
                Some(Step::Check {
                    p: self.pointer(len),
                    len: self.number(len),
                    kind,
                })
            }
            96..=97 => Some(Step::Object { p: self.pointer(1) }),
            _ => None,
        }
    }

    /// How many bytes a multi-write has: sometimes a whole object.
    fn length(&mut self) -> u64 {
        if self.chance(40) {
            let object = self.random.below(self.objects.len() as u64) as usize;
            return self.objects[object].1;
        }
        self.random.below(24)
    }

    /// Reads everything at the end: each byte of small objects, the interesting ones of large objects.
    fn read_back(&mut self) {
        for object in 0..self.objects.len() {
            let size = self.objects[object].1;
            let near = |at: &u64| size <= 64 || at % 4096 < 20 || at % 4096 > 4076 || at + 20 > size;
            for at in (0..size).filter(near) {
                let p = Pointer::At {
                    object,
                    at: Number::Const(at),
                };
                self.push(Step::Load {
                    p,
                    bytes: 1,
                    register: REGISTERS,
                });
            }
        }
    }
}
