//! Checks that clang adds to the program (`-fsanitize=…`): it calls these functions where one fails.
//!
//! Their first argument describes the place: file, line and column, then two types. The description of a type has a
//! kind, a word on integers (whether they are signed, and the logarithm of their width), and the name of the type.

use crate::fault::Error;
use crate::state::State;
use crate::worker::{Flow, Worker};
use mneme_memory::Model;
use mneme_term::{BaseId, Value};

/// The types that the data of a check describe.
#[derive(Copy, Clone)]
enum Described {
    First,
    Second,
}

const HALF: u64 = 2;

impl<M: Model> Worker<'_, M> {
    /// An index leaves its array.
    pub(super) fn index_outside(&mut self, state: &mut State<M>, data: Value, index: Value) -> Flow {
        let array = self.type_name(state, data, Described::First);
        let index = self.checked_number(state, data, Described::Second, index);
        self.fail(state, Error::Subobject(index, array))
    }

    /// The result of a shift to the left does not fit.
    pub(super) fn shift_outside(&mut self, state: &mut State<M>, data: Value, operands: [Value; 2]) -> Flow {
        let value = self.checked_number(state, data, Described::First, operands[0]);
        let distance = self.checked_number(state, data, Described::Second, operands[1]);
        self.fail(state, Error::ShiftOverflow(value, distance))
    }

    /// The length of an array is not positive.
    pub(super) fn array_size(&mut self, state: &mut State<M>, data: Value, length: Value) -> Flow {
        let length = self.checked_number(state, data, Described::First, length);
        self.fail(state, Error::ArraySize(length))
    }

    /// An implicit conversion changes the value.
    pub(super) fn lossy_conversion(&mut self, state: &mut State<M>, data: Value, values: [Value; 2]) -> Flow {
        let before = self.checked_number(state, data, Described::First, values[0]);
        let after = self.checked_number(state, data, Described::Second, values[1]);
        let narrow = self.type_name(state, data, Described::Second);
        self.fail(state, Error::LossyConversion(before, after, narrow))
    }

    /// A number as passed to the check: its bits, zero-extended, or their address if a pointer is too narrow for them.
    fn checked_number(&mut self, state: &State<M>, data: Value, which: Described, bits: Value) -> Value {
        let Some((base, offset)) = self.description(state, data, which) else {
            return bits;
        };
        let Some(Value::Int(info)) = state.memory.fast_load(base, offset + HALF, 2) else {
            return bits;
        };
        let (signed, width) = (info & 1 == 1, 1u32 << (info >> 1).min(6));
        let term = match bits {
            Value::Ptr { base, offset } => match state.memory.fast_load(base, offset, width.div_ceil(8)) {
                Some(value) => self.term(value, width),
                None => return bits,
            },
            bits => {
                let term = self.term(bits, self.program.target.pointer_width);
                self.terms.resize_zext(term, width)
            }
        };
        let term = match signed {
            true => self.terms.resize_sext(term, 64),
            false => self.terms.resize_zext(term, 64),
        };
        self.terms.to_value(term)
    }

    /// The name that clang gives a type.
    fn type_name(&mut self, state: &mut State<M>, data: Value, which: Described) -> Option<String> {
        let (base, offset) = self.description(state, data, which)?;
        let offset = offset + 2 * HALF;
        let name = self.string(state, Value::Ptr { base, offset });
        Some(name.trim_matches('\'').to_owned())
    }

    /// Where a type is described.
    fn description(&self, state: &State<M>, data: Value, which: Described) -> Option<(BaseId, u64)> {
        let Value::Ptr { base, offset } = data else { return None };
        let word = self.pointer();
        let bytes = u64::from(word.bytes());
        let place = bytes + 4 * HALF;
        let at = match which {
            Described::First => place,
            Described::Second => place + bytes,
        };
        match state.memory.fast_load(base, offset + at, word.bytes())? {
            Value::Ptr { base, offset } => Some((base, offset)),
            _ => None,
        }
    }
}
