//! The functions of `libz3` that Mneme calls, declared by hand after `z3_api.h` of Z3 4.8.12.
//!
//! Why not the crate `z3-sys`: it runs bindgen, which needs libclang and its headers at build time; the sixty functions
//! here need only `libz3.so`. All of them have been in Z3's stable C API since 4.5. Nothing here is safe by itself; the
//! sibling modules are the only callers.

#![allow(non_camel_case_types, non_snake_case)]

use std::ffi::{c_char, c_int, c_uint, c_void};

macro_rules! handles {
    ($($name:ident)*) => {
        $(
            /// An opaque object owned by Z3.
            #[repr(C)]
            pub struct $name {
                _opaque: [u8; 0],
                _not_send: std::marker::PhantomData<*mut c_void>,
            }
        )*
    };
}

handles!(_Config _Context _Symbol _Sort _FuncDecl _Ast _Params _Solver _Model _FuncInterp _FuncEntry _Tactic);

pub type Config = *mut _Config;
pub type Context = *mut _Context;
pub type Symbol = *mut _Symbol;
pub type Sort = *mut _Sort;
pub type FuncDecl = *mut _FuncDecl;
pub type Ast = *mut _Ast;
pub type Params = *mut _Params;
pub type Solver = *mut _Solver;
pub type Model = *mut _Model;
pub type FuncInterp = *mut _FuncInterp;
pub type FuncEntry = *mut _FuncEntry;
pub type Tactic = *mut _Tactic;

pub const L_FALSE: c_int = -1;
pub const L_TRUE: c_int = 1;
pub const OK: c_int = 0;
pub const NUMERAL_AST: c_int = 0;
pub const APP_AST: c_int = 1;
pub const OP_TRUE: c_int = 0x100;
pub const OP_FALSE: c_int = 0x101;
pub const OP_EQ: c_int = 0x102;
pub const OP_ITE: c_int = 0x104;
pub const OP_AND: c_int = 0x105;
pub const OP_OR: c_int = 0x106;
pub const OP_IFF: c_int = 0x107;
pub const OP_XOR: c_int = 0x108;
pub const OP_NOT: c_int = 0x109;
pub const OP_IMPLIES: c_int = 0x10a;
pub const OP_STORE: c_int = 0x300;
pub const OP_SELECT: c_int = 0x301;
pub const OP_CONST_ARRAY: c_int = 0x302;
pub const OP_AS_ARRAY: c_int = 0x30a;
pub const OP_BNEG: c_int = 0x403;
pub const OP_BADD: c_int = 0x404;
pub const OP_BSUB: c_int = 0x405;
pub const OP_BMUL: c_int = 0x406;
pub const OP_BSDIV: c_int = 0x407;
pub const OP_BUDIV: c_int = 0x408;
pub const OP_BSREM: c_int = 0x409;
pub const OP_BUREM: c_int = 0x40a;
pub const OP_ULEQ: c_int = 0x411;
pub const OP_SLEQ: c_int = 0x412;
pub const OP_UGEQ: c_int = 0x413;
pub const OP_SGEQ: c_int = 0x414;
pub const OP_ULT: c_int = 0x415;
pub const OP_SLT: c_int = 0x416;
pub const OP_UGT: c_int = 0x417;
pub const OP_SGT: c_int = 0x418;
pub const OP_BAND: c_int = 0x419;
pub const OP_BOR: c_int = 0x41a;
pub const OP_BNOT: c_int = 0x41b;
pub const OP_BXOR: c_int = 0x41c;
pub const OP_CONCAT: c_int = 0x420;
pub const OP_SIGN_EXT: c_int = 0x421;
pub const OP_ZERO_EXT: c_int = 0x422;
pub const OP_EXTRACT: c_int = 0x423;
pub const OP_BSHL: c_int = 0x428;
pub const OP_BLSHR: c_int = 0x429;
pub const OP_BASHR: c_int = 0x42a;
/// Division as in SMT-LIB, zero included: what the simplifier makes of the ones above.
pub const OP_BSDIV_I: c_int = 0x437;
pub const OP_BUDIV_I: c_int = 0x438;
pub const OP_BSREM_I: c_int = 0x439;
pub const OP_BUREM_I: c_int = 0x43a;

/// Builders of the shape `ast -> ast -> ast`.
pub type Binary = unsafe extern "C" fn(Context, Ast, Ast) -> Ast;
/// Builders of the shape `n, [ast] -> ast`.
pub type Nary = unsafe extern "C" fn(Context, c_uint, *const Ast) -> Ast;

#[link(name = "z3")]
unsafe extern "C" {
    pub fn Z3_get_full_version() -> *const c_char;
    pub fn Z3_mk_config() -> Config;
    pub fn Z3_del_config(c: Config);
    pub fn Z3_mk_context_rc(c: Config) -> Context;
    pub fn Z3_del_context(c: Context);
    pub fn Z3_interrupt(c: Context);
    pub fn Z3_set_error_handler(c: Context, h: Option<unsafe extern "C" fn(Context, c_int)>);
    pub fn Z3_get_error_code(c: Context) -> c_int;
    pub fn Z3_get_error_msg(c: Context, e: c_int) -> *const c_char;

    pub fn Z3_inc_ref(c: Context, a: Ast);
    pub fn Z3_dec_ref(c: Context, a: Ast);
    pub fn Z3_mk_int_symbol(c: Context, i: c_int) -> Symbol;
    pub fn Z3_mk_string_symbol(c: Context, s: *const c_char) -> Symbol;
    pub fn Z3_mk_bool_sort(c: Context) -> Sort;
    pub fn Z3_mk_bv_sort(c: Context, width: c_uint) -> Sort;
    pub fn Z3_mk_array_sort(c: Context, domain: Sort, range: Sort) -> Sort;
    pub fn Z3_mk_func_decl(c: Context, s: Symbol, n: c_uint, domain: *const Sort, range: Sort) -> FuncDecl;
    pub fn Z3_mk_app(c: Context, d: FuncDecl, n: c_uint, args: *const Ast) -> Ast;
    pub fn Z3_mk_const(c: Context, s: Symbol, ty: Sort) -> Ast;
    pub fn Z3_mk_unsigned_int64(c: Context, v: u64, ty: Sort) -> Ast;
    pub fn Z3_mk_bv_numeral(c: Context, n: c_uint, bits: *const bool) -> Ast;
    pub fn Z3_mk_true(c: Context) -> Ast;
    pub fn Z3_mk_false(c: Context) -> Ast;

    pub fn Z3_mk_eq(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_not(c: Context, a: Ast) -> Ast;
    pub fn Z3_mk_ite(c: Context, i: Ast, t: Ast, e: Ast) -> Ast;
    pub fn Z3_mk_xor(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_and(c: Context, n: c_uint, args: *const Ast) -> Ast;
    pub fn Z3_mk_or(c: Context, n: c_uint, args: *const Ast) -> Ast;
    pub fn Z3_mk_bvnot(c: Context, a: Ast) -> Ast;
    pub fn Z3_mk_bvneg(c: Context, a: Ast) -> Ast;
    pub fn Z3_mk_bvand(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_bvor(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_bvxor(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_bvadd(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_bvmul(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_bvudiv(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_bvurem(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_bvsdiv(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_bvsrem(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_bvshl(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_bvlshr(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_bvashr(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_bvult(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_bvule(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_bvslt(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_bvsle(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_concat(c: Context, l: Ast, r: Ast) -> Ast;
    pub fn Z3_mk_extract(c: Context, high: c_uint, low: c_uint, a: Ast) -> Ast;
    pub fn Z3_mk_sign_ext(c: Context, i: c_uint, a: Ast) -> Ast;
    pub fn Z3_mk_zero_ext(c: Context, i: c_uint, a: Ast) -> Ast;
    pub fn Z3_mk_select(c: Context, a: Ast, i: Ast) -> Ast;
    pub fn Z3_mk_store(c: Context, a: Ast, i: Ast, v: Ast) -> Ast;
    pub fn Z3_mk_const_array(c: Context, domain: Sort, v: Ast) -> Ast;
    pub fn Z3_mk_forall_const(
        c: Context,
        weight: c_uint,
        num_bound: c_uint,
        bound: *const Ast,
        num_patterns: c_uint,
        patterns: *const *mut c_void,
        body: Ast,
    ) -> Ast;

    pub fn Z3_mk_params(c: Context) -> Params;
    pub fn Z3_params_inc_ref(c: Context, p: Params);
    pub fn Z3_params_dec_ref(c: Context, p: Params);
    pub fn Z3_params_set_bool(c: Context, p: Params, k: Symbol, v: bool);
    pub fn Z3_params_set_uint(c: Context, p: Params, k: Symbol, v: c_uint);
    pub fn Z3_mk_simple_solver(c: Context) -> Solver;
    pub fn Z3_mk_tactic(c: Context, name: *const c_char) -> Tactic;
    pub fn Z3_tactic_inc_ref(c: Context, t: Tactic);
    pub fn Z3_tactic_dec_ref(c: Context, t: Tactic);
    pub fn Z3_tactic_and_then(c: Context, first: Tactic, second: Tactic) -> Tactic;
    pub fn Z3_tactic_using_params(c: Context, t: Tactic, p: Params) -> Tactic;
    pub fn Z3_mk_solver_from_tactic(c: Context, t: Tactic) -> Solver;
    pub fn Z3_solver_inc_ref(c: Context, s: Solver);
    pub fn Z3_solver_dec_ref(c: Context, s: Solver);
    pub fn Z3_solver_set_params(c: Context, s: Solver, p: Params);
    pub fn Z3_solver_assert(c: Context, s: Solver, a: Ast);
    pub fn Z3_solver_push(c: Context, s: Solver);
    pub fn Z3_solver_pop(c: Context, s: Solver, n: c_uint);
    pub fn Z3_solver_check(c: Context, s: Solver) -> c_int;
    pub fn Z3_solver_get_reason_unknown(c: Context, s: Solver) -> *const c_char;
    pub fn Z3_solver_get_model(c: Context, s: Solver) -> Model;

    pub fn Z3_model_inc_ref(c: Context, m: Model);
    pub fn Z3_model_dec_ref(c: Context, m: Model);
    pub fn Z3_model_eval(c: Context, m: Model, t: Ast, completion: bool, v: *mut Ast) -> bool;
    pub fn Z3_model_get_const_interp(c: Context, m: Model, f: FuncDecl) -> Ast;
    pub fn Z3_model_get_func_interp(c: Context, m: Model, f: FuncDecl) -> FuncInterp;
    pub fn Z3_func_interp_inc_ref(c: Context, f: FuncInterp);
    pub fn Z3_func_interp_dec_ref(c: Context, f: FuncInterp);
    pub fn Z3_func_interp_get_num_entries(c: Context, f: FuncInterp) -> c_uint;
    pub fn Z3_func_interp_get_entry(c: Context, f: FuncInterp, i: c_uint) -> FuncEntry;
    pub fn Z3_func_interp_get_else(c: Context, f: FuncInterp) -> Ast;
    pub fn Z3_func_entry_inc_ref(c: Context, e: FuncEntry);
    pub fn Z3_func_entry_dec_ref(c: Context, e: FuncEntry);
    pub fn Z3_func_entry_get_value(c: Context, e: FuncEntry) -> Ast;
    pub fn Z3_func_entry_get_arg(c: Context, e: FuncEntry, i: c_uint) -> Ast;

    pub fn Z3_simplify(c: Context, a: Ast) -> Ast;
    pub fn Z3_get_sort(c: Context, a: Ast) -> Sort;
    pub fn Z3_get_bv_sort_size(c: Context, s: Sort) -> c_uint;
    pub fn Z3_get_app_num_args(c: Context, a: Ast) -> c_uint;
    pub fn Z3_get_decl_int_parameter(c: Context, d: FuncDecl, i: c_uint) -> c_int;
    pub fn Z3_get_ast_kind(c: Context, a: Ast) -> c_int;
    pub fn Z3_get_bool_value(c: Context, a: Ast) -> c_int;
    pub fn Z3_get_numeral_uint64(c: Context, a: Ast, v: *mut u64) -> bool;
    pub fn Z3_get_numeral_binary_string(c: Context, a: Ast) -> *const c_char;
    pub fn Z3_get_app_decl(c: Context, a: Ast) -> FuncDecl;
    pub fn Z3_get_app_arg(c: Context, a: Ast, i: c_uint) -> Ast;
    pub fn Z3_get_decl_kind(c: Context, d: FuncDecl) -> c_int;
    pub fn Z3_get_as_array_func_decl(c: Context, a: Ast) -> FuncDecl;
}
