//! The constraints of a program: what each instruction does to pointers.
//!
//! A function is added when something reaches it: a call, or its address being taken.

use super::graph::{ALL, Graph, Node};
use super::location::{Location, Shift, gcd};
use super::{Pointee, UNKNOWN};
use crate::ir::*;
use crate::liveness::Liveness;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

pub struct Collector<'p> {
    program: &'p Program,
    pub graph: Graph,
    pub objects: Vec<Pointee>,
    /// The object of each site that has one.
    pub by_site: FxHashMap<SiteId, u32>,
    /// First of the nodes of a function's parameters, and of its results.
    functions: Vec<Option<(Node, Node)>>,
    /// What `longjmp` makes `setjmp` return.
    jumped: Node,
    /// The function that is being added.
    here: Here,
    /// A value that refers to nothing.
    nothing: Node,
    constants: FxHashMap<Constant, Node>,
    variadic: FxHashMap<FunctionId, u32>,
    unknown: Node,
    calls: Vec<CallNodes>,
    waiting: Vec<FunctionId>,
    /// Which function calls which, by which call.
    pub links: Vec<(FunctionId, CallId, FunctionId)>,
    linked: FxHashSet<(usize, FunctionId)>,
    /// The pointers through which an instruction accesses memory: for a copy the destination, then the source.
    pub accesses: FxHashMap<(FunctionId, u32), SmallVec<[Node; 2]>>,
}

/// Values of the slots of a function. A slot is used for several values, so each definition has its own node; where
/// control flow joins, there is one for each slot that is read later.
struct Here {
    function: FunctionId,
    block: u32,
    pc: u32,
    /// For the slots that the block has written.
    current: Vec<Option<Node>>,
    entering: FxHashMap<(u32, Slot), Node>,
    /// For each slot everything that it is ever given, if control may return to a call of `setjmp` at any time.
    ever: Option<Vec<Node>>,
}

impl Here {
    fn new(function: FunctionId) -> Here {
        Here {
            function,
            block: 0,
            pc: 0,
            current: Vec::new(),
            entering: FxHashMap::default(),
            ever: None,
        }
    }
}

/// A call, as seen by its constraints.
#[derive(Clone)]
struct CallNodes {
    caller: FunctionId,
    pc: u32,
    call: CallId,
    args: Vec<Node>,
    results: Vec<Node>,
}

impl<'p> Collector<'p> {
    pub fn new(program: &'p Program) -> Collector<'p> {
        let mut graph = Graph::default();
        let (unknown, nothing, jumped) = (graph.node(), graph.node(), graph.node());
        let mut collector = Collector {
            program,
            graph,
            objects: Vec::new(),
            by_site: FxHashMap::default(),
            functions: vec![None; program.functions.len()],
            jumped,
            here: Here::new(FunctionId(0)),
            nothing,
            constants: FxHashMap::default(),
            variadic: FxHashMap::default(),
            unknown,
            calls: Vec::new(),
            waiting: Vec::new(),
            links: Vec::new(),
            linked: FxHashSet::default(),
            accesses: FxHashMap::default(),
        };
        let object = collector.object(Pointee::Unknown);
        debug_assert_eq!(object, UNKNOWN);
        let anywhere = Location::start(UNKNOWN).shifted(Shift::ANYWHERE);
        collector.graph.add(unknown, anywhere);
        let cell = collector.graph.cell(anywhere, 1);
        collector.graph.copy(unknown, cell, Shift::NONE);
        collector
    }

    /// Adds everything that can run.
    pub fn run(&mut self) {
        let program = self.program;
        for global in &program.globals {
            self.initialise(global);
        }
        // The engine itself calls functions of the runtime.
        let internal = |f: &Function| f.runtime && f.name.starts_with("__mneme_") && !f.is_declaration();
        let called = (0..program.functions.len() as u32).map(FunctionId);
        let called = called.filter(|&id| internal(program.function(id)));
        let entries = program
            .main
            .iter()
            .chain(&program.constructors)
            .chain(&program.destructors);
        for entry in entries.copied().chain(called) {
            let (params, _) = self.reach(entry);
            for param in 0..program.function(entry).signature.params.len() as u32 {
                self.graph.copy(self.unknown, params + param, Shift::NONE);
            }
        }
        loop {
            while let Some(function) = self.waiting.pop() {
                self.function(function);
            }
            self.graph.propagate();
            let reached = std::mem::take(&mut self.graph.reached);
            if reached.is_empty() && self.waiting.is_empty() || self.graph.gave_up() {
                return;
            }
            for (object, index) in reached {
                if let Pointee::Function(callee) = self.objects[object as usize] {
                    self.link(index as usize, callee);
                }
            }
        }
    }

    fn object(&mut self, object: Pointee) -> u32 {
        self.objects.push(object);
        self.graph.object()
    }

    fn of_site(&mut self, site: SiteId, object: Pointee) -> u32 {
        match self.by_site.get(&site) {
            Some(&known) => known,
            None => {
                let made = self.object(object);
                self.by_site.insert(site, made);
                made
            }
        }
    }

    fn initialise(&mut self, global: &Global) {
        let object = self.of_site(global.site, Pointee::Site(global.site));
        if global.external {
            let cell = self.graph.cell(Location::start(object).shifted(Shift::ANYWHERE), 1);
            self.graph.copy(self.unknown, cell, Shift::NONE);
        }
        let word = u64::from(self.program.target.pointer_width / 8);
        for (offset, data) in &global.init {
            let (constant, bytes) = match data {
                InitData::Bytes(_) => continue,
                InitData::Address(constant) => (constant, word),
                InitData::Difference { a, bytes, .. } => (a, u64::from(*bytes)),
            };
            if let Some(value) = self.constant(constant) {
                let cell = self.graph.cell(Location::new(object, *offset as i64, 0), bytes);
                self.graph.copy(value, cell, Shift::NONE);
            }
        }
    }

    fn constant(&mut self, constant: &Constant) -> Option<Node> {
        if let Some(&known) = self.constants.get(constant) {
            return Some(known);
        }
        let location = match *constant {
            Constant::Int(_) | Constant::Wide { .. } | Constant::Undef { .. } => return None,
            Constant::Global { global, offset } => {
                let site = self.program.globals[global.index()].site;
                Location::new(self.of_site(site, Pointee::Site(site)), offset, 0)
            }
            Constant::Function(id) => {
                let site = self.program.function(id).site;
                self.reach(id);
                Location::start(self.of_site(site, Pointee::Function(id)))
            }
        };
        let node = self.graph.node();
        self.graph.add(node, location);
        self.constants.insert(constant.clone(), node);
        Some(node)
    }

    fn operand(&mut self, operand: Operand) -> Node {
        match operand.kind() {
            OperandKind::Slot(slot) => self.value(slot),
            OperandKind::Constant(index) => {
                let program = self.program;
                let constant = &program.function(self.here.function).constants[index as usize];
                self.constant(constant).unwrap_or(self.nothing)
            }
        }
    }

    fn value(&mut self, slot: Slot) -> Node {
        match self.here.current[slot as usize] {
            Some(node) => node,
            None => self.entering(self.here.block, slot),
        }
    }

    /// What a slot holds at the beginning of a block.
    fn entering(&mut self, block: u32, slot: Slot) -> Node {
        if let Some(&known) = self.here.entering.get(&(block, slot)) {
            return known;
        }
        let node = self.graph.node();
        self.here.entering.insert((block, slot), node);
        node
    }

    /// Defines a new value for a slot.
    fn define(&mut self, slot: Slot) -> Node {
        let node = self.graph.node();
        self.here.current[slot as usize] = Some(node);
        self.keep_for_jumps(slot, node);
        node
    }

    fn keep_for_jumps(&mut self, slot: Slot, value: Node) {
        if let Some(ever) = &self.here.ever {
            self.graph.copy(value, ever[slot as usize], Shift::NONE);
        }
    }

    /// Control may have returned here by `longjmp`, with the slots as they were then.
    fn come_back(&mut self, result: Option<Slot>) {
        let Some(ever) = &self.here.ever else { return };
        self.here.current = ever.iter().copied().map(Some).collect();
        if let Some(slot) = result {
            self.assign(slot, &[(self.jumped, Shift::NONE)]);
        }
    }

    /// Whether an instruction saves a place that `longjmp` returns to.
    fn sets_jump(&self, function: &Function, inst: &Inst) -> bool {
        match *inst {
            Inst::Call { call } => match function.calls[call.index()].callee {
                Callee::Direct(id) => is_set_jump(&self.program.function(id).name),
                Callee::Indirect(_) => false,
            },
            Inst::Intrinsic { id } => function.intrinsics[id.index()].op == IntrinsicOp::SetJump,
            _ => false,
        }
    }

    /// The slot gets the values of these.
    fn assign(&mut self, slot: Slot, sources: &[(Node, Shift)]) {
        let to = self.define(slot);
        for &(from, shift) in sources {
            self.graph.copy(from, to, shift);
        }
    }

    /// The nodes of a function's parameters and results.
    fn reach(&mut self, id: FunctionId) -> (Node, Node) {
        if let Some(nodes) = self.functions[id.index()] {
            return nodes;
        }
        let signature = &self.program.function(id).signature;
        let params = self.graph.nodes(signature.params.len() as u32);
        let results = self.graph.nodes(signature.results.len() as u32);
        self.functions[id.index()] = Some((params, results));
        self.waiting.push(id);
        (params, results)
    }

    /// The area of a function's variable arguments.
    fn variable_area(&mut self, function: FunctionId) -> Location {
        let object = match self.variadic.get(&function) {
            Some(&object) => object,
            None => {
                let object = self.object(Pointee::Engine);
                self.variadic.insert(function, object);
                object
            }
        };
        Location::start(object).shifted(Shift::ANYWHERE)
    }

    /// The pointer of an access.
    fn pointer(&mut self, pointer: Operand) -> Node {
        let node = self.operand(pointer);
        self.access(self.here.function, self.here.pc, node);
        node
    }

    fn access(&mut self, function: FunctionId, pc: u32, node: Node) {
        self.accesses.entry((function, pc)).or_default().push(node);
    }

    fn function(&mut self, id: FunctionId) {
        let function = self.program.function(id);
        let liveness = Liveness::of(function);
        let (params, _) = self.reach(id);
        self.here = Here::new(id);
        if function.code.iter().any(|inst| self.sets_jump(function, inst)) {
            let first = self.graph.nodes(function.slots);
            self.here.ever = Some((first..first + function.slots).collect());
        }
        for param in 0..function.signature.params.len() as u32 {
            let first = self.entering(0, param);
            self.graph.copy(params + param, first, Shift::NONE);
            self.keep_for_jumps(param, params + param);
        }
        for (index, block) in function.blocks.iter().enumerate() {
            self.here.block = index as u32;
            self.here.current = vec![None; function.slots as usize];
            for pc in block.start..block.end {
                self.here.pc = pc;
                self.instruction(function, &function.code[pc as usize]);
            }
            let edges = match block.end.checked_sub(1) {
                Some(last) => function.code[last as usize].edges(function),
                None => Vec::new(),
            };
            for edge in edges {
                self.edge(&function.edges[edge.index()], &liveness);
            }
        }
    }

    fn edge(&mut self, edge: &Edge, liveness: &Liveness) {
        let target = edge.target.0;
        let live = liveness.entering(edge.target).iter().enumerate();
        for slot in live.filter(|(_, live)| **live).map(|(slot, _)| slot as Slot) {
            let moved = edge.moves.iter().find(|(dst, _)| *dst == slot);
            let from = match moved {
                Some(&(_, source)) => self.operand(source),
                None => self.value(slot),
            };
            let to = self.entering(target, slot);
            self.graph.copy(from, to, Shift::NONE);
            if moved.is_some() {
                self.keep_for_jumps(slot, from);
            }
        }
    }

    fn instruction(&mut self, function: &Function, inst: &Inst) {
        let word = self.program.target.pointer_width as u16;
        match *inst {
            Inst::Move { dst, src } | Inst::Freeze { dst, src } | Inst::Cast { dst, src, .. } => {
                let src = self.operand(src);
                self.assign(dst, &[(src, Shift::NONE)]);
            }
            Inst::Select { dst, yes, no, .. } => {
                let (yes, no) = (self.operand(yes), self.operand(no));
                self.assign(dst, &[(yes, Shift::NONE), (no, Shift::NONE)]);
            }
            Inst::Bin {
                op, width, dst, a, b, ..
            } if width == word => self.arithmetic(function, op, dst, a, b),
            Inst::Field { dst, base, offset } => {
                let base = self.operand(base);
                self.assign(dst, &[(base, Shift { by: offset, stride: 0 })]);
            }
            Inst::Index {
                dst,
                base,
                index,
                scale,
                ..
            } => self.indexed(function, dst, base, 0, &[(index, u64::from(scale))]),
            Inst::Gep { dst, base, gep } => {
                let gep = &function.geps[gep.index()];
                let indices: Vec<_> = gep.indices.iter().map(|&(index, _, scale)| (index, scale)).collect();
                self.indexed(function, dst, base, gep.offset, &indices);
            }
            Inst::Load { ty, dst, ptr, .. } => {
                let ptr = self.pointer(ptr);
                let dst = self.define(dst);
                self.graph.load(ptr, u64::from(ty.bytes()), dst);
            }
            Inst::Store { ty, ptr, value, .. } => {
                let (ptr, value) = (self.pointer(ptr), self.operand(value));
                if value != self.nothing {
                    self.graph.store(ptr, u64::from(ty.bytes()), value);
                }
            }
            Inst::Alloca { dst, site, .. } => {
                let object = self.of_site(site, Pointee::Site(site));
                let dst = self.define(dst);
                self.graph.add(dst, Location::start(object));
            }
            Inst::SlotLoad { dst, slot, .. } => {
                let src = self.value(slot);
                self.assign(dst, &[(src, Shift::NONE)]);
            }
            Inst::SlotStore { slot, value, .. } => {
                let value = self.operand(value);
                self.assign(slot, &[(value, Shift::NONE)]);
            }
            Inst::ByvalCopy { slot, size, site } => {
                let from = self.value(slot);
                let object = self.of_site(site, Pointee::Site(site));
                let copy = self.define(slot);
                self.graph.add(copy, Location::start(object));
                self.graph.block_copy(copy, from, u64::from(size));
            }
            Inst::MemCopy { dst, src, len, .. } => {
                let len = number(function, len).unwrap_or(ALL);
                let (dst, src) = (self.pointer(dst), self.pointer(src));
                self.graph.block_copy(dst, src, len);
            }
            Inst::MemSet { dst, .. } => {
                self.pointer(dst);
            }
            Inst::Intrinsic { id } => {
                let intrinsic = &function.intrinsics[id.index()];
                self.intrinsic(intrinsic);
                if self.sets_jump(function, inst) {
                    self.come_back(intrinsic.dst);
                }
            }
            Inst::Call { call } => {
                let what = &function.calls[call.index()];
                self.call(what, call);
                if self.sets_jump(function, inst) {
                    self.come_back((!what.results.is_empty()).then_some(what.dst));
                }
            }
            Inst::Return { first, count } => {
                let results = self.reach(self.here.function).1;
                let returned = &function.operands[first as usize..(first + count) as usize];
                for (index, &operand) in returned.iter().enumerate().take(function.signature.results.len()) {
                    let value = self.operand(operand);
                    self.graph.copy(value, results + index as u32, Shift::NONE);
                }
            }
            _ => inst.for_each_def(function, &mut |slot| {
                self.here.current[slot as usize] = Some(self.nothing);
            }),
        }
    }

    /// Sums and differences move a pointer, masks leave it in its object; other operations turn it into a number.
    fn arithmetic(&mut self, function: &Function, op: BinOp, dst: Slot, a: Operand, b: Operand) {
        let shift = |other: Operand| match (op, number(function, other)) {
            (BinOp::Add, Some(by)) => Shift {
                by: by as i64,
                stride: 0,
            },
            (BinOp::Sub, Some(by)) => Shift {
                by: (by as i64).wrapping_neg(),
                stride: 0,
            },
            _ => Shift::ANYWHERE,
        };
        let (left, right) = (self.operand(a), self.operand(b));
        match op {
            BinOp::Add | BinOp::And | BinOp::Or | BinOp::Xor => {
                self.assign(dst, &[(left, shift(b)), (right, shift(a))]);
            }
            BinOp::Sub => self.assign(dst, &[(left, shift(b))]),
            _ => self.here.current[dst as usize] = Some(self.nothing),
        }
    }

    /// `dst = base + offset + sum of index * scale`. An index that is not scaled may be the pointer.
    fn indexed(&mut self, function: &Function, dst: Slot, base: Operand, offset: i64, indices: &[(Operand, u64)]) {
        let mut shift = Shift { by: offset, stride: 0 };
        let mut sources: SmallVec<[(Node, Shift); 2]> = SmallVec::new();
        for &(index, scale) in indices {
            match number(function, index) {
                Some(index) => shift.by = shift.by.wrapping_add((index as i64).wrapping_mul(scale as i64)),
                None => shift.stride = gcd(shift.stride, scale),
            }
            if scale == 1 {
                sources.push((self.operand(index), Shift::ANYWHERE));
            }
        }
        sources.push((self.operand(base), shift));
        self.assign(dst, &sources);
    }

    fn intrinsic(&mut self, intrinsic: &Intrinsic) {
        use IntrinsicOp::*;
        let args: Vec<Node> = intrinsic.args.iter().map(|&arg| self.operand(arg)).collect();
        let dst = intrinsic.dst.map(|dst| self.define(dst));
        match (intrinsic.op, dst) {
            (VaStart, _) => {
                let area = self.variable_area(self.here.function);
                let (value, anywhere) = (self.graph.node(), self.graph.node());
                self.graph.add(value, area);
                self.graph.copy(args[0], anywhere, Shift::ANYWHERE);
                self.graph.store(anywhere, 1, value);
            }
            (VaCopy, _) => self.graph.block_copy(args[0], args[1], ALL),
            (
                PtrMask | SMin | SMax | UMin | UMax | SAddOverflow | UAddOverflow | SSubOverflow | USubOverflow
                | UAddSat | USubSat,
                Some(dst),
            ) => {
                for arg in args {
                    self.graph.copy(arg, dst, Shift::ANYWHERE);
                }
            }
            (ReturnAddress | FrameAddress, Some(dst)) => self.graph.copy(self.unknown, dst, Shift::NONE),
            _ => {}
        }
    }

    fn call(&mut self, what: &Call, call: CallId) {
        let args = what.args.iter().map(|arg| self.operand(arg.value)).collect();
        let callee = match what.callee {
            Callee::Direct(id) => Ok(id),
            Callee::Indirect(pointer) => Err(self.operand(pointer)),
        };
        let nodes = CallNodes {
            caller: self.here.function,
            pc: self.here.pc,
            call,
            args,
            results: (0..what.results.len() as u32)
                .map(|index| self.define(what.dst + index))
                .collect(),
        };
        self.calls.push(nodes);
        let index = self.calls.len() - 1;
        match callee {
            Ok(id) => self.link(index, id),
            Err(pointer) => self.graph.call(pointer, index as u32),
        }
    }

    fn link(&mut self, index: usize, callee: FunctionId) {
        if !self.linked.insert((index, callee)) {
            return;
        }
        let program = self.program;
        let nodes = self.calls[index].clone();
        let what = &program.function(nodes.caller).calls[nodes.call.index()];
        let function = program.function(callee);
        if function.is_declaration() {
            return self.library(&nodes, what, &function.name);
        }
        self.links.push((nodes.caller, nodes.call, callee));
        let (params, results) = self.reach(callee);
        let count = function.signature.params.len();
        for (index, (arg, &value)) in what.args.iter().zip(&nodes.args).enumerate() {
            if index < count {
                self.graph.copy(value, params + index as u32, Shift::NONE);
                continue;
            }
            let area = self.variable_area(callee);
            match arg.byval {
                None => {
                    let cell = self.graph.cell(area, 1);
                    self.graph.copy(value, cell, Shift::NONE);
                }
                Some((size, _)) => {
                    let to = self.graph.node();
                    self.graph.add(to, area);
                    self.graph.block_copy(to, value, u64::from(size));
                }
            }
        }
        for (index, &to) in nodes.results.iter().enumerate().take(function.signature.results.len()) {
            self.graph.copy(results + index as u32, to, Shift::NONE);
        }
    }

    /// A function without a body: the engine's own, or one that is not modelled.
    fn library(&mut self, nodes: &CallNodes, call: &Call, name: &str) {
        let dst = nodes.results.first().copied();
        let arg = |index: usize| nodes.args.get(index).copied();
        let mut accesses: SmallVec<[Node; 2]> = SmallVec::new();
        match name {
            "malloc" | "calloc" | "aligned_alloc" | "memalign" | "realloc" => {
                let object = self.of_site(call.site, Pointee::Site(call.site));
                let fresh = self.graph.node();
                self.graph.add(fresh, Location::start(object));
                if let Some(dst) = dst {
                    self.graph.copy(fresh, dst, Shift::NONE);
                }
                if let ("realloc", Some(old)) = (name, arg(0)) {
                    accesses.push(old);
                    self.graph.block_copy(fresh, old, ALL);
                }
            }
            "memcpy" | "memmove" => {
                if let (Some(to), Some(from)) = (arg(0), arg(1)) {
                    accesses.extend([to, from]);
                    self.graph.block_copy(to, from, ALL);
                    dst.into_iter().for_each(|dst| self.graph.copy(to, dst, Shift::NONE));
                }
            }
            "memset" | "free" | "cfree" | "klee_make_symbolic" | "__mneme_concretize" | "__mneme_fix" => {
                if let Some(pointer) = arg(0) {
                    accesses.push(pointer);
                    dst.into_iter()
                        .for_each(|dst| self.graph.copy(pointer, dst, Shift::NONE));
                }
            }
            "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => {
                if let Some(value) = arg(1) {
                    self.graph.copy(value, self.jumped, Shift::NONE);
                }
            }
            // What `main` is called with.
            "__mneme_arguments" => {
                let pointers = [arg(1), arg(2)].into_iter().flatten();
                pointers.for_each(|pointer| self.graph.copy(pointer, self.unknown, Shift::NONE));
            }
            _ if call.results.iter().any(|result| result.kind == ScalarKind::Pointer) => {
                dst.into_iter()
                    .for_each(|dst| self.graph.copy(self.unknown, dst, Shift::NONE));
            }
            _ => {}
        }
        for node in accesses {
            self.access(nodes.caller, nodes.pc, node);
        }
    }
}

fn is_set_jump(name: &str) -> bool {
    matches!(name, "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp")
}

fn number(function: &Function, operand: Operand) -> Option<u64> {
    match operand.kind() {
        OperandKind::Constant(index) => match function.constants[index as usize] {
            Constant::Int(n) => Some(n),
            _ => None,
        },
        OperandKind::Slot(_) => None,
    }
}
