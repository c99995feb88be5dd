//! Uses the vector layer alone: the built-in embedder and an index.

use annals_types::profile::VectorSettings;
use annals_types::{Embedder, Purpose, Row};
use annals_vector::embed::BuiltinEmbedder;
use annals_vector::{Index, Shape};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let embedder = BuiltinEmbedder::new();
    let shape = Shape::new(embedder.dims())?;
    let mut index = Index::new(shape, VectorSettings::default());
    let texts = ["I moved to Berlin for work.", "My cat sleeps all day.", "The train was late again."];
    for (row, vector) in (0..).map(Row).zip(embedder.embed(&texts, Purpose::Passage)?) {
        index.append(row, &shape.encode(&vector)?)?;
    }
    let question = embedder.embed(&["what does my kitten do?"], Purpose::Query)?.remove(0);
    let hits = index.search(&shape.query(&question)?, 1, None, |_| true);
    assert_eq!(hits[0].row, Row(1));
    Ok(())
}
