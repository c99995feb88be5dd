//! Embedders: what turns texts into vectors.

mod builtin;
mod calibrate;
#[cfg(any(feature = "onnx", feature = "hub"))]
pub mod folder;
mod hashed;
#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "hub")]
pub mod hub;
#[cfg(feature = "onnx")]
pub mod onnx;
#[cfg(feature = "small")]
mod small;
mod unigram;
mod unit;

pub use builtin::BuiltinEmbedder;
pub use calibrate::{MeasuredEmbedder, Measurement};
#[cfg(feature = "small")]
pub use small::SmallEmbedder;
