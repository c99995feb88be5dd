//! Builds very small ONNX models for tests, so that every form of input and output is tried without
//! a download.

use std::fs;
use std::path::Path;

/// A protobuf message in the making.
#[derive(Default, Clone)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    fn int(mut self, field: u64, n: u64) -> Self {
        self.varint(field << 3);
        self.varint(n);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn message(self, field: u64, message: &Message) -> Self {
        self.bytes(field, &message.0)
    }
}

/// ONNX element types.
pub(super) const FLOAT: u64 = 1;
pub(super) const INT32: u64 = 6;
pub(super) const INT64: u64 = 7;
pub(super) const FLOAT16: u64 = 10;

fn tensor(name: &str, shape: &[u64], kind: u64, raw: &[u8]) -> Message {
    let message = shape.iter().fold(Message::default(), |m, &n| m.int(1, n));
    message.int(2, kind).bytes(8, name.as_bytes()).bytes(9, raw)
}

fn node(op: &str, inputs: &[&str], output: &str, attributes: &[Message]) -> Message {
    let message = inputs
        .iter()
        .fold(Message::default(), |m, name| m.bytes(1, name.as_bytes()));
    let message = message.bytes(2, output.as_bytes()).bytes(4, op.as_bytes());
    attributes
        .iter()
        .fold(message, |m, attribute| m.message(5, attribute))
}

fn attribute(name: &str, value: u64) -> Message {
    Message::default()
        .bytes(1, name.as_bytes())
        .int(3, value)
        .int(20, 2)
}

fn value(name: &str, kind: u64, rank: usize) -> Message {
    let names = ["batch", "sequence", "width"];
    let shape = names.iter().take(rank).fold(Message::default(), |m, name| {
        m.message(1, &Message::default().bytes(2, name.as_bytes()))
    });
    let tensor = Message::default().int(1, kind).message(2, &shape);
    Message::default()
        .bytes(1, name.as_bytes())
        .message(2, &Message::default().message(1, &tensor))
}

/// The form of a test model: a table of two numbers per token, looked up.
pub(super) struct Tiny {
    pub(super) inputs: &'static [(&'static str, u64)],
    pub(super) output: (&'static str, u64),
    /// Answers the first token's state as `[batch, 2]` instead of all states.
    pub(super) pooled: bool,
    /// The state of each token id.
    pub(super) table: Vec<[f32; 2]>,
}

impl Default for Tiny {
    fn default() -> Self {
        Self {
            inputs: &[("input_ids", INT64), ("attention_mask", INT64)],
            output: ("last_hidden_state", FLOAT),
            pooled: false,
            // [PAD] [UNK] one two three
            table: vec![[9.0, 9.0], [0.0, 1.0], [1.0, 0.0], [0.0, 2.0], [-3.0, 0.0]],
        }
    }
}

impl Tiny {
    fn model(&self) -> Vec<u8> {
        let raw: Vec<u8> = self
            .table
            .iter()
            .flatten()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let mut nodes = vec![node("Gather", &["table", "input_ids"], "states", &[])];
        let mut last = "states";
        if self.pooled {
            nodes.push(node(
                "Gather",
                &["states", "first"],
                "pooled",
                &[attribute("axis", 1)],
            ));
            last = "pooled";
        }
        nodes.push(node(
            "Cast",
            &[last],
            self.output.0,
            &[attribute("to", self.output.1)],
        ));
        let mut graph = nodes
            .iter()
            .fold(Message::default(), |m, node| m.message(1, node))
            .bytes(2, b"tiny");
        graph = graph.message(
            5,
            &tensor("table", &[self.table.len() as u64, 2], FLOAT, &raw),
        );
        graph = graph.message(5, &tensor("first", &[], INT64, &0_i64.to_le_bytes()));
        for &(name, kind) in self.inputs {
            graph = graph.message(11, &value(name, kind, 2));
        }
        graph = graph.message(
            12,
            &value(
                self.output.0,
                self.output.1,
                if self.pooled { 2 } else { 3 },
            ),
        );
        let opset = Message::default().bytes(1, b"").int(2, 17);
        Message::default()
            .int(1, 8)
            .message(7, &graph)
            .message(8, &opset)
            .0
    }

    /// Writes the model and a tokenizer of whole words.
    pub(super) fn write(&self, dir: &Path) {
        fs::write(dir.join("model.onnx"), self.model()).unwrap();
        let words = ["[PAD]", "[UNK]", "one", "two", "three"];
        let vocab: Vec<String> = words
            .iter()
            .zip(0..)
            .map(|(word, id)| format!("{word:?}: {id}"))
            .collect();
        let tokenizer = format!(
            r#"{{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
                "pre_tokenizer": {{"type": "Whitespace"}}, "post_processor": null, "decoder": null,
                "model": {{"type": "WordLevel", "vocab": {{{}}}, "unk_token": "[UNK]"}}}}"#,
            vocab.join(", ")
        );
        fs::write(dir.join("tokenizer.json"), tokenizer).unwrap();
    }
}
