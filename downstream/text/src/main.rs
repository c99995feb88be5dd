//! Uses the full-text layer alone.

use std::sync::Arc;

use annals_storage::Store;
use annals_text::{Analyzer, Bm25, ChunkCache, Index, Settings, TextError, store};
use annals_types::{NamespaceId, Row};

fn main() -> Result<(), TextError> {
    let (file, namespace) = (Store::in_memory(), NamespaceId(1));
    let mut index = Index::new(namespace, Settings::default(), Arc::new(ChunkCache::new(1 << 20)));
    let texts = ["The proxy-env tool listens on 7890.", "我养了一只叫小白的猫。", "Nuxt 4 is out."];
    for (row, text) in (0..).map(Row).zip(texts) {
        let forward = Arc::new(Analyzer.forward(text, None));
        file.write::<_, TextError>(|txn| store::put(txn, namespace, row, &forward))?;
        index.append(row, forward);
    }
    for (question, wanted) in [("proxy-env", 0), ("小白是猫吗", 1), ("nuxt 4", 2)] {
        let matches = index.matches(&file.snapshot()?, Analyzer.query(question), Bm25::default())?;
        assert_eq!(matches.top(1, |_| true)?.first().map(|hit| hit.row), Some(Row(wanted)), "{question}");
    }
    Ok(())
}
