//! Lowering: a linked LLVM module becomes a [`Program`].
//!
//! Functions and variables are numbered in module order, so that equal inputs give equal programs. What one function
//! needs to know of the others (ids, shapes of types, sites, debug information) lives in [`Lowering`]; a function is
//! lowered by [`function::FunctionLowering`], with one file for each family of instructions. Nothing in here fails: a
//! construct that cannot be lowered becomes an `Unsupported` instruction.

mod aggregate;
mod arithmetic;
mod atomic;
mod call;
mod constant;
mod constrained;
mod control;
mod function;
mod global;
mod instruction;
mod intrinsic;
mod masked;
mod memory;
mod reduce;
mod shape;
mod slots;

use crate::Variables;
use crate::debug::{Debug, UNKNOWN};
use crate::ir::*;
use crate::link::Linked;
use crate::llvm::{Block, Layout, Module, Type, Value, ValueKind, attribute_kind};
pub(crate) use global::is_special;
use intrinsic::Known;
use rustc_hash::FxHashMap;
use shape::{Lowered, Shapes};

/// Numbers of the attributes that lowering looks at.
struct Attributes {
    byval: u32,
    element_type: u32,
    align: u32,
    noreturn: u32,
    returns_twice: u32,
    signext: u32,
    nonnull: u32,
    noalias: u32,
    dereferenceable: u32,
}

/// What all functions share while they are lowered.
pub(crate) struct Lowering<'m> {
    layout: Layout<'m>,
    pointer_bits: u16,
    functions: FxHashMap<Value<'m>, FunctionId>,
    globals: FxHashMap<Value<'m>, GlobalId>,
    /// Intrinsics by their declaration.
    intrinsics: FxHashMap<Value<'m>, Known>,
    shapes: Shapes<'m>,
    debug: Debug<'m>,
    sites: Vec<Site>,
    labels: FxHashMap<Block<'m>, u64>,
    attributes: Attributes,
    /// The kind of metadata that marks operations unchanged from the source.
    own_kind: u32,
    /// The kind of the metadata that say which values a load may have.
    range_kind: u32,
    variables: Variables,
}

pub(crate) fn lower(linked: &Linked, variables: Variables) -> Program {
    let module: &Module = &linked.module;
    let layout = module.layout();
    let mut cx = Lowering {
        layout,
        pointer_bits: layout.pointer_bits() as u16,
        functions: FxHashMap::default(),
        globals: FxHashMap::default(),
        intrinsics: FxHashMap::default(),
        shapes: Shapes::new(layout),
        debug: Debug::new(module),
        sites: Vec::new(),
        labels: FxHashMap::default(),
        attributes: Attributes {
            byval: attribute_kind("byval"),
            element_type: attribute_kind("elementtype"),
            align: attribute_kind("align"),
            noreturn: attribute_kind("noreturn"),
            returns_twice: attribute_kind("returns_twice"),
            signext: attribute_kind("signext"),
            nonnull: attribute_kind("nonnull"),
            noalias: attribute_kind("noalias"),
            dereferenceable: attribute_kind("dereferenceable"),
        },
        own_kind: module.own_kind(),
        range_kind: module.metadata_kind("range"),
        variables,
    };
    let reached = linked.reached();
    let variables: Vec<Value> = module.globals().filter(|g| reached.contains(g)).collect();
    let mut bodies = Vec::new();
    for function in module.functions() {
        if function.is_intrinsic() {
            cx.intrinsics.insert(function, Known::of(&function.name()));
        } else if reached.contains(&function) {
            cx.functions.insert(function, FunctionId(bodies.len() as u32));
            bodies.push(function);
        }
    }
    for (i, &global) in variables.iter().enumerate() {
        cx.globals.insert(global, GlobalId(i as u32));
    }
    let globals = variables
        .iter()
        .map(|&g| cx.lower_global(g, linked.is_runtime(g)))
        .collect();
    let constructors = cx.lower_structors(module, "llvm.global_ctors");
    let destructors = cx.lower_structors(module, "llvm.global_dtors");
    let mut instructions = 0;
    let mut functions: Vec<Function> = bodies
        .iter()
        .map(|&f| {
            let mut function = function::lower_function(&mut cx, f);
            function.runtime = linked.is_runtime(f);
            function.first_inst = instructions;
            instructions += function.code.len() as u32;
            function
        })
        .collect();
    let mut places = instructions;
    for function in &mut functions {
        function.first_edge = places;
        places += function.edges.len() as u32;
    }
    let defined = |name: &str| {
        let found = functions.iter().position(|f| f.name == name && !f.is_declaration());
        found.map(|i| FunctionId(i as u32))
    };
    let (main, inputs) = (defined(&linked.begin), defined(crate::link::INPUTS));
    Program {
        target: Target {
            pointer_width: layout.pointer_bits(),
        },
        functions,
        globals,
        sites: cx.sites,
        files: cx.debug.files,
        types: cx.debug.types,
        counts: crate::Counts::default(),
        main,
        inputs,
        constructors,
        destructors,
        instructions,
        places,
    }
}

impl<'m> Lowering<'m> {
    fn add_site(&mut self, site: Site) -> SiteId {
        self.sites.push(site);
        SiteId(self.sites.len() as u32 - 1)
    }

    /// The function or variable that a name stands for, through aliases.
    fn resolve_alias(&self, mut value: Value<'m>) -> Value<'m> {
        while let Some(aliasee) = value.aliasee() {
            value = aliasee;
        }
        value
    }

    /// The number that stands for the address of a label (`&&label`): never zero, and not the address of an object.
    fn label_address(&mut self, block: Block<'m>) -> u64 {
        let next = 0x100 + 16 * self.labels.len() as u64;
        *self.labels.entry(block).or_insert(next)
    }

    fn signature(&mut self, ty: Type<'m>) -> Lowered<Signature> {
        let mut params = Vec::new();
        for param in ty.params() {
            params.extend(self.shapes.of(param)?.scalars());
        }
        let results = self.shapes.of(ty.return_type())?.scalars().collect();
        Ok(Signature {
            params,
            results,
            variadic: ty.is_variadic(),
        })
    }

    /// Size and alignment of a `byval(T)` parameter.
    fn byval(&self, ty: Type<'m>, align: u64) -> (u32, u32) {
        let natural = self.layout.align(ty);
        let align = if align == 0 {
            natural.max(u64::from(self.pointer_bits / 8))
        } else {
            align
        };
        (self.layout.size(ty) as u32, align as u32)
    }

    fn function_site(&mut self, name: String, id: FunctionId, loc: Loc) -> SiteId {
        self.add_site(Site {
            kind: SiteKind::Function,
            name: Some(name),
            align: 16,
            loc,
            function: Some(id),
            c_type: None,
            fixed: false,
        })
    }

    fn is_debug_intrinsic(&self, instruction: Value<'m>) -> bool {
        use crate::llvm::Opcode;
        instruction.opcode() == Some(Opcode::LLVMCall)
            && matches!(self.known_intrinsic(instruction.called_value()), Some(Known::Debug))
    }

    fn known_intrinsic(&self, callee: Value<'m>) -> Option<Known> {
        if callee.kind() != ValueKind::LLVMFunctionValueKind {
            return None;
        }
        self.intrinsics.get(&callee).copied()
    }

    fn unknown_loc(&self) -> Loc {
        UNKNOWN
    }
}
