//! Values in the answer to `(get-value …)`.

use mneme_term::{ArrayValue, Bits};

use super::sexp::Sexp;

/// `#b0101`, `#x0f`, `(_ bv15 8)`, `true`, `false`, as a value of `width` bits.
pub(super) fn bits(value: &Sexp, width: u32) -> Option<Bits> {
    match value {
        Sexp::Atom(text) => match text.as_str() {
            "true" if width == 1 => Some(Bits::one(1)),
            "false" if width == 1 => Some(Bits::zero(1)),
            text => match text.split_at_checked(2)? {
                ("#b", digits) => digits_of(digits, 2, width),
                ("#x", digits) => digits_of(digits, 16, width),
                _ => None,
            },
        },
        Sexp::List(items) => match items.as_slice() {
            [underscore, number, size] if underscore.atom()? == "_" && size.atom()?.parse() == Ok(width) => {
                digits_of(number.atom()?.strip_prefix("bv")?, 10, width)
            }
            _ => None,
        },
    }
}

fn digits_of(digits: &str, base: u32, width: u32) -> Option<Bits> {
    let expected = match base {
        2 => width as usize,
        16 => width.div_ceil(4) as usize,
        _ => digits.len(),
    };
    if digits.is_empty() || digits.len() != expected {
        return None;
    }
    let factor = Bits::new(width + 8, base.into());
    let mut number = Bits::zero(width + 8);
    for digit in digits.chars() {
        let digit = Bits::new(width + 8, digit.to_digit(base)?.into());
        number = number.mul(&factor).add(&digit);
        if number.bit_length() > width {
            return None;
        }
    }
    Some(number.extract(0, width))
}

/// `(store … index value)` around `((as const (Array …)) value)`.
pub(super) fn array(value: &Sexp, index: u32, element: u32) -> Option<ArrayValue> {
    let mut result = ArrayValue::default();
    let mut at = value;
    loop {
        match at.list()? {
            [store, inner, key, stored] if store.atom() == Some("store") => {
                let key = bits(key, index)?.to_u64()?;
                result.entries.entry(key).or_insert(bits(stored, element)?);
                at = inner;
            }
            [qualified, default] => match qualified.list()? {
                [r#as, r#const, _] if r#as.atom() == Some("as") && r#const.atom() == Some("const") => {
                    result.default = Some(bits(default, element)?);
                    return Some(result);
                }
                _ => return None,
            },
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sexp::parse;
    use super::*;

    #[test]
    fn reads_every_spelling() {
        for text in ["#b00001111", "#x0f", "(_ bv15 8)"] {
            assert_eq!(bits(&parse(text).unwrap(), 8), Some(Bits::new(8, 15)), "{text}");
        }
        assert_eq!(bits(&parse("true").unwrap(), 1), Some(Bits::one(1)));
        let wide = bits(&parse("#x0123456789abcdef00").unwrap(), 72).unwrap();
        assert_eq!(wide, Bits::from_words(72, &[0x23456789abcdef00, 0x01]));
    }

    #[test]
    fn refuses_what_does_not_fit() {
        for text in [
            "#x0ff",
            "#b1",
            "(_ bv256 8)",
            "(_ bv1 9)",
            "true",
            "#xzz",
            "x",
            "()",
            "#",
            "(_ bvx 8)",
            "€€",
        ] {
            assert_eq!(bits(&parse(text).unwrap(), 8), None, "{text}");
        }
    }

    #[test]
    fn later_stores_win() {
        let text = "(store (store ((as const (Array (_ BitVec 8) (_ BitVec 8))) #x07) #x01 #x02) #x01 #x03)";
        let value = array(&parse(text).unwrap(), 8, 8).unwrap();
        assert_eq!(value.element(1, 8), Bits::new(8, 3));
        assert_eq!(value.element(2, 8), Bits::new(8, 7));
        assert_eq!(array(&parse("(_ as-array k)").unwrap(), 8, 8), None);
    }
}
