//! What the runtime asks about the world outside (`outside.rs`), and which sources of inputs stayed concrete.

use crate::image;
use crate::outside::Refusal;
use crate::state::State;
use crate::worker::{Flow, Worker};
use mneme_memory::Model;
use mneme_program::Call;
use mneme_term::{Value, truncate};

impl<M: Model> Worker<'_, M> {
    /// The size of a file, or of standard input where the name is null.
    pub(super) fn outside_size(&mut self, state: &mut State<M>, call: &Call, name: Value) -> Flow {
        if name == Value::ZERO {
            return self.answer(
                state,
                call,
                Value::Int(self.options.outside.standard_input().len() as u64),
            );
        }
        let name = self.string(state, name);
        let size = match self.options.outside.size(&name) {
            Ok(size) => size,
            Err(Refusal::Number(error)) => truncate((-i64::from(error)) as u64, self.pointer_width()),
            Err(Refusal::Beyond(why)) => return self.unsupported(state, format!("the file `{name}`, which {why}")),
        };
        self.answer(state, call, Value::Int(size))
    }

    pub(super) fn outside_bytes(&mut self, state: &mut State<M>, call: &Call, name: Value, to: Value) -> Flow {
        let bytes = match name {
            Value::ZERO => self.options.outside.standard_input().to_vec(),
            name => {
                let name = self.string(state, name);
                match self.options.outside.bytes(&name) {
                    Ok(bytes) => bytes,
                    Err(_) => return self.unsupported(state, format!("the file `{name}`, which cannot be read")),
                }
            }
        };
        self.put_bytes(state, to, &bytes);
        self.answer(state, call, Value::ZERO)
    }

    pub(super) fn outside_directory(&mut self, state: &mut State<M>, call: &Call, to: Value, size: Value) -> Flow {
        let mut bytes = self.options.outside.directory().into_bytes();
        if let Value::Int(size @ 1..) = size {
            bytes.truncate(size as usize - 1);
            bytes.push(0);
            self.put_bytes(state, to, &bytes);
        }
        self.answer(state, call, Value::ZERO)
    }

    pub(super) fn outside_entry(&mut self, state: &mut State<M>, call: &Call, args: [Value; 3]) -> Flow {
        let [directory, n, to] = args;
        let directory = self.string(state, directory);
        let entries = match self.options.outside.entries(&directory) {
            Ok(entries) => entries,
            // What the path has made itself.
            Err(Refusal::Number(_)) => Vec::new(),
            Err(Refusal::Beyond(why)) => {
                return self.unsupported(state, format!("the directory `{directory}`, which {why}"));
            }
        };
        let entry = match n {
            Value::Int(n) => entries.get(n as usize).filter(|(name, _)| name.len() < 256),
            _ => None,
        };
        let Some((name, is_directory)) = entry else {
            return self.answer(state, call, Value::ZERO);
        };
        let bytes = [name.as_bytes(), b"\0"].concat();
        self.put_bytes(state, to, &bytes);
        self.answer(state, call, Value::Int(1 + u64::from(*is_directory)))
    }

    /// Into an object of the runtime, which is large enough.
    fn put_bytes(&mut self, state: &mut State<M>, to: Value, bytes: &[u8]) {
        if let Value::Ptr { base, offset } = to {
            image::with_cx(&mut self.terms, &mut *self.solver, |cx| {
                state.memory.init_bytes(cx, base, offset, bytes);
            });
        }
    }

    /// Notes that the program has looked at a source of inputs that is not symbolic.
    pub(super) fn stays_concrete(&mut self, state: &mut State<M>, call: &Call, args: [Value; 3]) -> Flow {
        if !self.repeats(state) {
            let [source, name, option] = args.map(|text| match text {
                Value::ZERO => String::new(),
                text => self.string(state, text),
            });
            let name = visible(&name);
            let what = match name.is_empty() {
                true => source,
                false => format!("{source} `{name}`"),
            };
            let option = option.replace("NAME", &name);
            *self.stats.concrete.entry((what, option)).or_default() += 1;
        }
        self.answer(state, call, Value::ZERO)
    }
}

/// A name that the program chose, on a line of its own: nothing in it moves the cursor.
fn visible(name: &str) -> String {
    let shown = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    name.chars().map(shown).collect()
}
