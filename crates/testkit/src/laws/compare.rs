//! Compares what a model did with what the reference did: under the script's inputs, and under others that take the
//! same path.

use super::plain::{Byte, Outcome, Plain, PlainPointer, as_pointer};
use super::run::{Run, Seen, Verdict};
use super::script::{INDICES, Script, Step};
use super::symbols::{Inputs, Judge, mix};
use mneme_memory::{End, FaultKind, Life, Model};
use mneme_term::{Assignment, BaseId, TermId, Value, truncate};
use std::rc::Rc;

impl<M: Model> Run<M> {
    fn judge<T>(&self, inputs: &Inputs, f: impl FnOnce(&Judge) -> T) -> T {
        let address = |base: BaseId| {
            let object = self.bases.iter().position(|&b| b == Some(base));
            // The other side of a merge has objects that the script does not know.
            object.map_or(0, |object| self.addresses[object])
        };
        f(&Judge {
            terms: &self.terms,
            assignment: &inputs.assignment,
            address: &address,
        })
    }

    pub(super) fn holds(&self, inputs: &Inputs, condition: TermId) -> bool {
        self.judge(inputs, |judge| self.terms.eval_bool(condition, judge))
    }

    fn number(&self, inputs: &Inputs, term: TermId) -> u64 {
        self.judge(inputs, |judge| self.terms.eval_u64(term, judge))
    }

    fn bytes(&self, inputs: &Inputs, value: Value, bytes: u32) -> Vec<u8> {
        match value {
            Value::Int(n) => n.to_le_bytes()[..bytes as usize].to_vec(),
            Value::Ptr { base, offset } => {
                let object = self
                    .bases
                    .iter()
                    .position(|&b| b == Some(base))
                    .expect("bases are objects of the script");
                let address = self.addresses[object].wrapping_add(offset);
                address.to_le_bytes()[..bytes as usize].to_vec()
            }
            Value::Term(term) => self.judge(inputs, |judge| self.terms.eval(term, judge).to_bytes_le()),
            Value::Undef => panic!("memory gives no value without a name"),
        }
    }

    pub(super) fn compare(&self, inputs: &Inputs, step: &Step, seen: &Seen, expected: &Outcome) -> Verdict<()> {
        match (seen, expected) {
            (Seen::Skipped, Outcome::Skipped) | (Seen::Done, Outcome::Done) => Ok(()),
            (Seen::Loaded(value, n), Outcome::Loaded(reference)) => {
                let found = self.bytes(inputs, *value, *n);
                let agrees = |(found, byte): (&u8, &Byte)| byte.value().is_none_or(|value| value == *found);
                if found.len() == reference.len() && found.iter().zip(reference).all(agrees) {
                    return Ok(());
                }
                let term = match value {
                    Value::Term(term) => self.terms.display(*term).to_string(),
                    value => format!("{value:?}"),
                };
                Err(format!(
                    "loaded {found:02x?}, which is {term}, instead of {reference:02x?}"
                ))
            }
            (Seen::Object(info), Outcome::Object(place)) => {
                let offset = self.bytes(inputs, info.offset, inputs.pointer_width() / 8);
                let expected = place.offset.to_le_bytes();
                let same = self.is_object(Some(info.base), place.object) && expected[..offset.len()] == offset;
                if same {
                    Ok(())
                } else {
                    Err(format!("the object is {info:?} instead of {place:?}"))
                }
            }
            (Seen::Fault(fault), Outcome::Fault { kind, place, len }) => {
                let same_kind = fault.kind == *kind
                    || matches!((step, fault.kind), (Step::Object { .. }, FaultKind::Wild(_)))
                        && place.object.is_none();
                let same_place =
                    self.is_object(fault.base, place.object) && self.number(inputs, fault.offset) == place.offset;
                let same_len = fault.len.map(|len| self.number(inputs, len)) == *len;
                if same_kind && same_place && same_len {
                    return Ok(());
                }
                Err(format!("{fault:?} instead of {expected:?}"))
            }
            (Seen::Skipped, _) => Err("not performed".into()),
            (Seen::Done, _) => Err(format!("done, instead of {expected:?}")),
            (Seen::Loaded(..), _) => Err(format!("a value, instead of {expected:?}")),
            (Seen::Object(info), _) => Err(format!("{info:?} instead of {expected:?}")),
            (Seen::Fault(fault), _) => Err(format!("{fault:?} instead of {expected:?}")),
        }
    }

    fn is_object(&self, base: Option<BaseId>, object: Option<usize>) -> bool {
        base == object.and_then(|object| self.bases[object])
    }

    /// Law: a pointer that was stored comes back as a pointer into the same object.
    pub(super) fn keeps_provenance(
        &mut self,
        inputs: &Inputs,
        value: Value,
        n: u32,
        reference: &[Byte],
    ) -> Verdict<()> {
        let word = inputs.pointer_width() / 8;
        let Some(PlainPointer {
            object: Some(object),
            offset,
        }) = as_pointer(reference, word)
        else {
            return Ok(());
        };
        let term = self.terms.of_value(value, 8 * n);
        let cases = self.terms.cases(term);
        let case = cases
            .iter()
            .find(|case| self.holds(inputs, case.guard))
            .ok_or("no case of the pointer holds")?;
        if self.is_object(case.base, Some(object)) && self.number(inputs, case.offset) == offset {
            return Ok(());
        }
        Err(format!(
            "a pointer to o{object} came back as {}",
            self.terms.display(term)
        ))
    }

    /// Writes to everything in a clone, which must not be noticed elsewhere.
    pub(super) fn vandalise(&mut self, plain: &Plain) {
        let mut other = self.memory.clone();
        for (id, object) in plain.objects.iter().enumerate() {
            let (Some(object), Some(base)) = (object, self.bases[id]) else {
                continue;
            };
            for at in 0..object.size.min(16) {
                other.fast_store(base, at, 1, Value::Int(0xee));
            }
            let p = Value::Ptr { base, offset: 0 };
            let original = std::mem::replace(&mut self.memory, other);
            let branches = self.cx(|memory, cx| memory.fill(cx, p, Value::Int(0xdd), Value::Int(object.size.min(8))));
            self.memory = original;
            other = branches.into_iter().next().expect("something happens").memory;
            other.expose(base);
            other.begin(base);
            other.protect(base);
        }
    }

    /// Every byte of every live object.
    pub(super) fn read_back(&mut self, inputs: &Inputs, plain: &Plain) -> Verdict<()> {
        self.seen.truncate(0);
        for (id, object) in plain.objects.iter().enumerate() {
            let Some(object) = object else { continue };
            if object.life != Life::Alive {
                continue;
            }
            for at in 0..object.size {
                let p = Value::Ptr {
                    base: self.bases[id].expect("it was made"),
                    offset: at,
                };
                let branches = self.cx(|memory, cx| memory.load(cx, p, 1));
                let End::Done(value) = self.take(inputs, branches)? else {
                    return Err(format!("o{id}[{at}] faults"));
                };
                let found = self.bytes(inputs, value, 1)[0];
                if object.bytes[at as usize].value().is_some_and(|value| value != found) {
                    return Err(format!(
                        "o{id}[{at}] is {found:#x} instead of {:?}",
                        object.bytes[at as usize]
                    ));
                }
            }
        }
        Ok(())
    }

    // ---- other inputs on the same path

    pub(super) fn others(&mut self, script: &Script, inputs: &Inputs) -> Verdict<()> {
        if self.checks.fork.is_some() {
            return Ok(());
        }
        let mut found: Vec<Rc<Assignment>> = Vec::new();
        for k in 0..self.checks.others {
            let mut indices = script.inputs;
            let change = mix(script.data, k);
            indices[change as usize % INDICES.len()] = (change >> 8) % 24;
            if change >> 62 == 0 {
                indices[(change >> 16) as usize % INDICES.len()] = (change >> 32) % 40;
            }
            found.push(Rc::new(self.symbols.assignment(&self.terms, &indices, mix(change, 1))));
        }
        if self.checks.others > 0 {
            let at = mix(script.data, 99) as usize % INDICES.len();
            let symbol = self.terms.symbol(inputs.symbols.indices[at]);
            let width = self.terms.width(symbol);
            let now = self.terms.constant(width, truncate(script.inputs[at], width));
            let different = self.terms.ne(symbol, now);
            found.extend(self.witness(different));
        }
        for assignment in found {
            let inputs = inputs.with(assignment);
            if self.path.clauses().iter().all(|&clause| self.holds(&inputs, clause)) {
                self.replay(script, &inputs)?;
            }
        }
        Ok(())
    }

    fn replay(&self, script: &Script, inputs: &Inputs) -> Verdict<()> {
        let mut plain = Plain::default();
        for (n, (step, seen)) in script.steps.iter().zip(&self.seen).enumerate() {
            let expected = plain.step(inputs, step, &self.addresses);
            if matches!(seen, Seen::Skipped) != (expected == Outcome::Skipped) {
                // Only one of the two inputs uses undefined or mixed bytes as a pointer.
                return Ok(());
            }
            let verdict = self.compare(inputs, step, seen, &expected);
            verdict.map_err(|what| {
                let values: Vec<u64> = (0..INDICES.len()).map(|k| inputs.symbol(k)).collect();
                format!("step {n}, under the other inputs {values:x?}: {what}")
            })?;
        }
        Ok(())
    }
}
