use ort::logging::LogLevel;
use ort::session::{Session, SessionInputValue, SessionOutputs, builder::GraphOptimizationLevel};
use ort::value::{Outlet, Tensor, TensorElementType};

use super::pool;
use super::tokens::Tokens;
use super::{OnnxSettings, runtime};
use crate::embed::folder::{Cause, ModelError, ModelFolder, Pooling};

/// The data for a model's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Feed {
    Ids,
    Mask,
    Types,
    Positions,
}

/// Which output is read, and whether it still has to be pooled.
#[derive(Debug)]
struct ChosenOutput {
    name: String,
    pooled: bool,
}

/// A loaded model.
pub(super) struct Model {
    session: Session,
    /// One per input of the graph, in its order, with whether it wants 32-bit integers.
    feeds: Vec<(Feed, bool)>,
    answer: ChosenOutput,
    pooling: Pooling,
    pad_id: u32,
}

impl Model {
    pub(super) fn open(
        folder: &ModelFolder,
        settings: &OnnxSettings,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let environment = runtime::environment(settings.library.as_deref())?;
        let path = folder.model_path();
        let load = || -> Result<Session, ort::Error> {
            let mut builder = Session::builder(&environment)?
                // Failures come back as errors; a library prints nothing.
                .with_log_level(LogLevel::Fatal)?
                .with_optimization_level(GraphOptimizationLevel::All)?
                .with_intra_threads(threads.max(1))?
                // Waiting threads that spin would take the processor from the rest of the program.
                .with_intra_op_spinning(false)?;
            builder.commit_from_file(&path)
        };
        let session = load().map_err(|error| {
            let advice = "fetch the model again, or export it for an ONNX Runtime as old as the one that was found";
            ModelError::unreadable(&path, format!("ONNX Runtime refuses it ({error})"), advice, error.to_string())
        })?;
        let unsupported = |what: String| ModelError::Unsupported {
            path: path.clone(),
            what,
            advice: "export the model for feature extraction (sentence similarity)".to_owned(),
        };
        let feeds = session
            .inputs()
            .iter()
            .map(feed)
            .collect::<Result<Vec<_>, _>>()
            .map_err(unsupported)?;
        let answer = answer(session.outputs(), folder.pooling_is_own()).map_err(unsupported)?;
        if let (false, Some(dense)) = (answer.pooled, folder.dense()) {
            return Err(ModelError::Unsupported {
                path: dense.to_path_buf(),
                what: "a dense layer after pooling".to_owned(),
                advice:
                    "export the model with its sentence_embedding output, which has the layer in it"
                        .to_owned(),
            });
        }
        Ok(Self {
            session,
            feeds,
            answer,
            pooling: folder.pooling(),
            pad_id: folder.pad_id(),
        })
    }

    /// One vector per text, neither cut nor normalised.
    pub(super) fn run(&mut self, texts: &[&Tokens]) -> Result<Vec<Vec<f32>>, Cause> {
        let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
        let longest = lengths.iter().copied().max().unwrap_or(0).max(1);
        let shape = [texts.len(), longest];
        let mut inputs: Vec<SessionInputValue<'_>> = Vec::with_capacity(self.feeds.len());
        for &(feed, narrow) in &self.feeds {
            let numbers = column(feed, texts, longest, self.pad_id);
            inputs.push(if narrow {
                let numbers: Vec<i32> = numbers
                    .into_iter()
                    .map(|n| i32::try_from(n).unwrap_or(0))
                    .collect();
                Tensor::from_array((shape, numbers))?.into()
            } else {
                Tensor::from_array((shape, numbers))?.into()
            });
        }
        let outputs = self.session.run(inputs.as_slice())?;
        let (shape, numbers) = read(&outputs, &self.answer.name)?;
        let dims = shape.last().copied().unwrap_or(0);
        let expected = if self.answer.pooled {
            vec![texts.len(), dims]
        } else {
            vec![texts.len(), longest, dims]
        };
        if shape != expected {
            return Err(format!(
                "output {} has the shape {shape:?} instead of {expected:?}",
                self.answer.name
            )
            .into());
        }
        Ok(if self.answer.pooled {
            numbers
                .chunks_exact(dims.max(1))
                .map(<[f32]>::to_vec)
                .collect()
        } else {
            pool::pool(&numbers, &lengths, longest, dims, self.pooling)
        })
    }
}

/// The numbers of one input, row-major `[texts, longest]`.
fn column(feed: Feed, texts: &[&Tokens], longest: usize, pad_id: u32) -> Vec<i64> {
    let mut column = Vec::with_capacity(texts.len() * longest);
    for text in texts {
        let padding = longest - text.len();
        match feed {
            Feed::Ids => {
                column.extend(text.ids.iter().map(|&id| i64::from(id)));
                column.extend(std::iter::repeat_n(i64::from(pad_id), padding));
            }
            Feed::Mask => {
                column.extend(std::iter::repeat_n(1, text.len()));
                column.extend(std::iter::repeat_n(0, padding));
            }
            Feed::Types => {
                column.extend(text.types.iter().map(|&id| i64::from(id)));
                column.extend(std::iter::repeat_n(0, padding));
            }
            Feed::Positions => column.extend((0_i64..).take(longest)),
        }
    }
    column
}

fn feed(input: &Outlet) -> Result<(Feed, bool), String> {
    let feed = match input.name() {
        "input_ids" => Feed::Ids,
        "attention_mask" => Feed::Mask,
        "token_type_ids" => Feed::Types,
        "position_ids" => Feed::Positions,
        other => return Err(format!("an input {other:?}")),
    };
    match input.dtype().tensor_type() {
        Some(TensorElementType::Int64) => Ok((feed, false)),
        Some(TensorElementType::Int32) => Ok((feed, true)),
        _ => Err(format!(
            "{} as an input of type {}",
            input.name(),
            input.dtype()
        )),
    }
}

/// A pooled output by its name, else token states by their name, else the only output that has a
/// fitting shape.
fn answer(outputs: &[Outlet], pool_ourselves: bool) -> Result<ChosenOutput, String> {
    let rank = |outlet: &Outlet| outlet.dtype().tensor_shape().map(|shape| shape.len());
    let named = |name: &str| outputs.iter().any(|outlet| outlet.name() == name);
    let find = |names: &[&str], pooled| {
        names
            .iter()
            .find(|name| named(name))
            .map(|name| ChosenOutput {
                name: (*name).to_owned(),
                pooled,
            })
    };
    let pooled = find(&["sentence_embedding", "sentence_embeddings"], true);
    let states = find(&["last_hidden_state", "token_embeddings"], false);
    let choice = if pool_ourselves {
        states.or(pooled)
    } else {
        pooled.or(states)
    };
    let by_shape = || {
        let outlet = outputs
            .iter()
            .find(|outlet| rank(outlet) == Some(3))
            .or(match outputs {
                [only] if rank(only) == Some(2) => Some(only),
                _ => None,
            })?;
        Some(ChosenOutput {
            name: outlet.name().to_owned(),
            pooled: rank(outlet) == Some(2),
        })
    };
    choice.or_else(by_shape).ok_or_else(|| {
        let names: Vec<&str> = outputs.iter().map(Outlet::name).collect();
        format!("reading its vectors from the outputs {}", names.join(", "))
    })
}

fn read(outputs: &SessionOutputs<'_>, name: &str) -> Result<(Vec<usize>, Vec<f32>), Cause> {
    let value = outputs
        .get(name)
        .ok_or_else(|| format!("the output {name} is missing"))?;
    let (shape, numbers) = match value.dtype().tensor_type() {
        Some(TensorElementType::Float32) => {
            let (shape, numbers) = value.try_extract_tensor::<f32>()?;
            (shape, numbers.to_vec())
        }
        Some(TensorElementType::Float16) => {
            let (shape, numbers) = value.try_extract_tensor::<half::f16>()?;
            (shape, numbers.iter().map(|x| x.to_f32()).collect())
        }
        _ => {
            return Err(format!(
                "the output {name} is {} and not a tensor of floats",
                value.dtype()
            )
            .into());
        }
    };
    let shape: Result<Vec<usize>, _> = shape.iter().map(|&n| usize::try_from(n)).collect();
    Ok((shape?, numbers))
}
