//! What debug information provides: locations, files, names of variables, and C types.
//!
//! Lookups are cached by metadata node, so an instruction costs one hash of its scope. Types are read with a work list:
//! they are cyclic (a list node points to list nodes), and deep chains must not exhaust our stack.

use crate::ir::{CField, CType, CTypeId, Loc};
use crate::llvm::{Meta, MetaKind, Module, Value};
use rustc_hash::FxHashMap;
use std::path::Path;

pub const UNKNOWN: Loc = Loc {
    file: u32::MAX,
    line: 0,
    column: 0,
};

// Tags of DWARF that C programs have.
const ARRAY: u16 = 0x01;
const ENUMERATION: u16 = 0x04;
const POINTER: u16 = 0x0f;
const STRUCTURE: u16 = 0x13;
const SUBROUTINE: u16 = 0x15;
const TYPEDEF: u16 = 0x16;
const UNION: u16 = 0x17;
const BASE: u16 = 0x24;
const CONST: u16 = 0x26;
const VOLATILE: u16 = 0x35;
const RESTRICT: u16 = 0x37;
const ATOMIC: u16 = 0x47;

// Positions of operands in LLVM's metadata nodes.
const VARIABLE_NAME: usize = 1;
const VARIABLE_TYPE: usize = 3;
const SUBPROGRAM_NAME: usize = 2;
const SUBPROGRAM_TYPE: usize = 4;
const SUBROUTINE_TYPES: usize = 3;
const TYPE_BASE: usize = 3;
const TYPE_ELEMENTS: usize = 4;

/// What is known of one variable.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Option<String>,
    pub loc: Loc,
    pub c_type: Option<CTypeId>,
}

pub struct Debug<'m> {
    module: &'m Module,
    pub files: Vec<String>,
    file_of_path: FxHashMap<String, u32>,
    file_of_node: FxHashMap<Meta<'m>, u32>,
    last: Option<(Meta<'m>, Loc)>,
    pub types: Vec<CType>,
    type_of_node: FxHashMap<Meta<'m>, CTypeId>,
    pending: Vec<(Meta<'m>, CTypeId)>,
    void: Option<CTypeId>,
    global_kind: u32,
}

impl<'m> Debug<'m> {
    pub fn new(module: &'m Module) -> Debug<'m> {
        Debug {
            module,
            files: Vec::new(),
            file_of_path: FxHashMap::default(),
            file_of_node: FxHashMap::default(),
            last: None,
            types: Vec::new(),
            type_of_node: FxHashMap::default(),
            pending: Vec::new(),
            void: None,
            global_kind: module.metadata_kind("dbg"),
        }
    }

    /// The location of an instruction. An inlined one is placed in the innermost function, where its text is.
    pub fn location(&mut self, instruction: Value<'m>) -> Loc {
        let Some(node) = instruction.debug_location() else {
            return UNKNOWN;
        };
        if let Some((last, loc)) = self.last
            && last == node
        {
            return loc;
        }
        let Some((line, column, scope)) = node.location() else {
            return UNKNOWN;
        };
        let loc = Loc {
            file: self.file_of_scope(scope),
            line,
            column,
        };
        self.last = Some((node, loc));
        loc
    }

    pub fn function(&mut self, function: Value<'m>) -> (Option<String>, Loc) {
        let Some(node) = function.subprogram() else {
            return (None, UNKNOWN);
        };
        let loc = Loc {
            file: self.file_of_scope(node),
            line: node.subprogram_line(),
            column: 0,
        };
        (node.operands(self.module).text(SUBPROGRAM_NAME), loc)
    }

    /// The return type of a function.
    pub fn returns(&mut self, function: Value<'m>) -> Option<CTypeId> {
        let node = function.subprogram()?.operands(self.module).node(SUBPROGRAM_TYPE)?;
        let types = node.operands(self.module).node(SUBROUTINE_TYPES)?;
        let result = types.operands(self.module).node(0)?;
        Some(self.c_type(Some(result)))
    }

    /// The types of a function's parameters, as C declares them.
    pub fn params(&mut self, function: Value<'m>) -> Vec<CTypeId> {
        let all = || {
            let node = function.subprogram()?.operands(self.module).node(SUBPROGRAM_TYPE)?;
            let types = node.operands(self.module).node(SUBROUTINE_TYPES)?.operands(self.module);
            // The first is the result; a variadic function has an empty one at the end.
            Some((1..).map_while(|index| types.node(index)).collect::<Vec<_>>())
        };
        let all = all().unwrap_or_default();
        all.into_iter().map(|node| self.c_type(Some(node))).collect()
    }

    pub fn global(&mut self, global: Value<'m>) -> Option<Variable> {
        let expression = global.global_metadata(self.global_kind)?;
        self.variable(expression.global_variable()?)
    }

    pub fn variable(&mut self, node: Meta<'m>) -> Option<Variable> {
        let (file, line) = node.variable_place()?;
        let operands = node.operands(self.module);
        let file = file.map_or(u32::MAX, |f| self.file(f));
        let c_type = operands.node(VARIABLE_TYPE).map(|t| self.c_type(Some(t)));
        Some(Variable {
            name: operands.text(VARIABLE_NAME),
            loc: Loc { file, line, column: 0 },
            c_type,
        })
    }

    fn file_of_scope(&mut self, scope: Meta<'m>) -> u32 {
        if let Some(&id) = self.file_of_node.get(&scope) {
            return id;
        }
        let id = scope.scope_file().map_or(u32::MAX, |f| self.file(f));
        self.file_of_node.insert(scope, id);
        id
    }

    fn file(&mut self, node: Meta<'m>) -> u32 {
        let Some((directory, name)) = node.file_path() else {
            return u32::MAX;
        };
        let path = Path::new(&directory).join(name).to_string_lossy().into_owned();
        let (files, known) = (&mut self.files, &mut self.file_of_path);
        *known.entry(path).or_insert_with_key(|path| {
            files.push(path.clone());
            files.len() as u32 - 1
        })
    }

    /// The C type of a node; a missing node is `void`.
    fn c_type(&mut self, node: Option<Meta<'m>>) -> CTypeId {
        let id = self.reserve(node);
        while let Some((node, id)) = self.pending.pop() {
            self.types[id.index()] = self.read_type(node);
        }
        id
    }

    fn reserve(&mut self, node: Option<Meta<'m>>) -> CTypeId {
        let next = CTypeId(self.types.len() as u32);
        let Some(node) = node else {
            if self.void.is_none() {
                self.types.push(CType::Void);
            }
            return *self.void.get_or_insert(next);
        };
        if let Some(&id) = self.type_of_node.get(&node) {
            return id;
        }
        self.types.push(CType::Unknown);
        self.type_of_node.insert(node, next);
        self.pending.push((node, next));
        next
    }

    fn read_type(&mut self, node: Meta<'m>) -> CType {
        let operands = node.operands(self.module);
        let name = node.type_name();
        let bytes = node.type_bits().0.div_ceil(8);
        let base = operands.node(TYPE_BASE);
        match node.tag() {
            BASE => {
                let name = name.unwrap_or_default();
                let encoding = encoding(&name);
                CType::Base { name, bytes, encoding }
            }
            POINTER => CType::Pointer { to: self.reserve(base) },
            TYPEDEF => CType::Typedef {
                name: name.unwrap_or_default(),
                of: self.reserve(base),
            },
            CONST | VOLATILE | RESTRICT | ATOMIC => CType::Qualified {
                of: self.reserve(base),
                constant: node.tag() == CONST,
            },
            SUBROUTINE => CType::Function,
            ENUMERATION => CType::Enum { name, bytes },
            ARRAY => {
                let elements = operands.node(TYPE_ELEMENTS).map(|e| e.operands(self.module));
                let counts = elements
                    .iter()
                    .flat_map(|e| e.nodes())
                    .map(|range| range.operands(self.module).int(0).filter(|&n| n as i64 >= 0))
                    .collect();
                CType::Array {
                    of: self.reserve(base),
                    counts,
                }
            }
            tag @ (STRUCTURE | UNION) => {
                let elements = operands.node(TYPE_ELEMENTS).map(|e| e.operands(self.module));
                let members: Vec<_> = elements.iter().flat_map(|e| e.nodes()).collect();
                let fields = members.into_iter().filter_map(|m| self.field(m)).collect();
                CType::Struct {
                    name,
                    bytes,
                    fields,
                    union: tag == UNION,
                }
            }
            _ => CType::Unknown,
        }
    }

    fn field(&mut self, member: Meta<'m>) -> Option<CField> {
        if !matches!(member.kind(), MetaKind::LLVMDIDerivedTypeMetadataKind) {
            return None;
        }
        let (size_bits, offset_bits) = member.type_bits();
        let base = member.operands(self.module).node(TYPE_BASE);
        Some(CField {
            name: member.type_name(),
            offset_bits,
            size_bits,
            c_type: self.reserve(base),
        })
    }
}

/// DWARF's encoding of a base type. The C API does not expose it, but the name of a C base type determines it.
fn encoding(name: &str) -> u32 {
    const BOOLEAN: u32 = 2;
    const COMPLEX: u32 = 3;
    const FLOAT: u32 = 4;
    const SIGNED: u32 = 5;
    const SIGNED_CHAR: u32 = 6;
    const UNSIGNED: u32 = 7;
    const UNSIGNED_CHAR: u32 = 8;
    match name {
        "_Bool" | "bool" => BOOLEAN,
        "char" | "signed char" => SIGNED_CHAR,
        "unsigned char" => UNSIGNED_CHAR,
        _ if name.contains("omplex") => COMPLEX,
        _ if name.contains("float") || name.contains("double") || name.contains("Float") => FLOAT,
        _ if name.contains("unsigned") => UNSIGNED,
        _ => SIGNED,
    }
}
