use serde::{Deserialize, Serialize, Serializer};

use crate::InvalidValue;

/// Defines a validated `f32`.
macro_rules! bounded {
    ($(#[$doc:meta])* $name:ident, $min:literal, $max:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Deserialize)]
        #[serde(try_from = "f32")]
        pub struct $name(f32);

        impl $name {
            /// Checks `value`; `field` names it in the error.
            ///
            /// # Errors
            /// [`InvalidValue::OutOfRange`] when it is not a number or outside the range.
            pub fn new(field: &'static str, value: f32) -> Result<Self, InvalidValue> {
                if ($min..=$max).contains(&value) {
                    Ok(Self(value))
                } else {
                    let (min, max) = (f64::from($min), f64::from($max));
                    Err(InvalidValue::OutOfRange { field, value: f64::from(value), min, max })
                }
            }

            /// The number.
            #[must_use]
            pub const fn get(self) -> f32 {
                self.0
            }

            /// The number that was meant: 0.3 in single precision is a little more, and thresholds
            /// would see it.
            #[must_use]
            pub fn exact(self) -> f64 {
                self.0.to_string().parse().unwrap_or_else(|_| f64::from(self.0))
            }
        }

        impl TryFrom<f32> for $name {
            type Error = InvalidValue;

            fn try_from(value: f32) -> Result<Self, InvalidValue> {
                Self::new(stringify!($name), value)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_f64(self.exact())
            }
        }

        impl From<$name> for f32 {
            fn from(value: $name) -> Self {
                value.0
            }
        }
    };
}

bounded! {
    /// A number from 0 to 1: a confidence, a weight, a recall score.
    UnitScore, 0.0_f32, 1.0_f32
}

bounded! {
    /// How much a memory matters: from 0 to 1000. Profiles give the scale its meaning; most use 0
    /// to 1.
    Importance, 0.0_f32, 1000.0_f32
}

impl UnitScore {
    /// Certain.
    pub const ONE: Self = Self(1.0);
}

impl Importance {
    /// The importance of a memory for which none was given: 0.5.
    pub const DEFAULT: Self = Self(0.5);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_no_number_in_the_range() {
        for bad in [f32::NAN, f32::INFINITY, -0.01, 1.01] {
            assert!(UnitScore::new("confidence", bad).is_err(), "{bad}");
        }
        assert_eq!(UnitScore::new("confidence", 0.25).unwrap().get(), 0.25);
        assert!(Importance::new("importance", 3.2).is_ok());
    }

    #[test]
    fn is_written_as_it_was_read() {
        for text in ["0.8", "0.1", "0.7"] {
            let read: UnitScore = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_value(read).unwrap().to_string(), text);
        }
    }
}
