//! Triples with their evidence.

use annals_graph as graph;
use annals_records::RecordError;
use annals_storage::Reads;
use annals_types::{MemoryId, NamespaceId};
use tracing::instrument;

use crate::Error;
use crate::graph::{
    Asserted, Assertion, Effects, EntityId, Evidence, ExplainedTriple, TripleId, TriplePage,
    TripleQuery, View,
};
use crate::handles::Graph;
use crate::handles::graph::{Reader, words};
use annals_engine::Refusal;
use annals_engine::graph::{Owners, known};

impl Graph {
    #[instrument(level = "debug", skip(self, assertions), fields(namespace = %self.space.name, count = assertions.len()))]
    pub(crate) fn add_triples(
        &self,
        memory: MemoryId,
        assertions: &[Assertion],
    ) -> Result<Asserted, Error> {
        let namespace = self.space.id_for(memory)?;
        let assertions = self
            .space
            .engine
            .screened_saying(self.space.entry_of(namespace), assertions)?;
        self.space.engine.change_graph(namespace, |txn, scope| {
            let rows = known(txn, scope.ns, scope.now, &[memory])?;
            let stored = annals_records::memories(&*txn, scope.ns, &rows, None)?
                .pop()
                .flatten();
            if let Some(by) = stored.and_then(|memory| memory.superseded_by) {
                return Err(RecordError::Superseded {
                    id: memory,
                    by: Some(by),
                }
                .into());
            }
            let supporters: Vec<graph::Supporter> = rows.into_iter().map(Into::into).collect();
            Ok(graph::assert_evidence(
                txn,
                scope,
                &supporters,
                &assertions,
            )?)
        })
    }

    pub(crate) fn delete_triples(&self, ids: &[TripleId]) -> Result<Effects, Error> {
        let Some(first) = ids.first() else {
            return Ok(Effects::default());
        };
        let namespace = self
            .space
            .id()?
            .ok_or(graph::GraphError::NoTriple { triple: *first })?;
        self.space
            .engine
            .change_graph_kept(namespace, |txn, scope| {
                let effects = graph::delete_triples(txn, scope.ns, ids)?;
                Ok(effects)
            })
    }
}

impl Reader<'_> {
    pub(super) fn triples(&self, query: &TripleQuery) -> Result<TriplePage, Error> {
        let mut place = query.after.as_deref().map(Place::read).transpose()?;
        let mut found = Vec::new();
        let mut next = None;
        for ends in ends(self.reads, self.ns, query)? {
            if place.as_ref().is_some_and(|place| ends < place.ends) {
                continue;
            }
            let cursor = place
                .take()
                .filter(|place| place.ends == ends)
                .and_then(|place| place.cursor);
            let room = query.limit.saturating_sub(found.len());
            if room == 0 {
                next = Some(Place { ends, cursor: None });
                break;
            }
            let pattern = graph::Pattern {
                subject: ends.0,
                predicate: query.predicate.as_deref(),
                object: ends.1,
                negated: query.negated,
            };
            let page = graph::pattern(
                self.reads,
                self.ns,
                pattern,
                query.view,
                cursor.as_ref(),
                room,
            )?;
            found.extend(page.triples);
            if page.next.is_some() {
                next = Some(Place {
                    ends,
                    cursor: page.next,
                });
                break;
            }
        }
        let triples = words::triples(self.reads, self.ns, found, &query.view)?;
        Ok(TriplePage {
            triples,
            next: next.map(|place| place.write()),
        })
    }

    pub(super) fn explain_triple(&self, id: TripleId) -> Result<ExplainedTriple, Error> {
        let missing = || Error::from(graph::GraphError::NoTriple { triple: id });
        let found = graph::triples(self.reads, self.ns, &[id])?
            .into_iter()
            .flatten()
            .collect();
        let triple = words::triples(self.reads, self.ns, found, &View::NOW)?
            .pop()
            .ok_or_else(missing)?;
        let told = graph::explain(self.reads, self.ns, id)?.ok_or_else(missing)?;
        let owners = Owners::of(
            self.reads,
            self.ns,
            told.evidence.iter().map(|said| said.row),
        )?;
        let evidence = |said: graph::Evidence| {
            let (
                memory,
                graph::Evidence {
                    state,
                    supports,
                    born,
                    claim,
                    ..
                },
            ) = (owners.get(said.row)?, said);
            Ok(Evidence {
                memory,
                state,
                supports,
                since: born,
                claim,
            })
        };
        Ok(ExplainedTriple {
            triple: crate::graph::Triple {
                visible: told.visible,
                degree: told.degree,
                ..triple
            },
            since: told.born,
            importance: told.importance,
            confidence: told.confidence,
            valid_from: told.valid_from,
            valid_until: told.valid_until,
            evidence: told
                .evidence
                .into_iter()
                .map(evidence)
                .collect::<Result<_, Error>>()?,
        })
    }
}

type Ends = (Option<EntityId>, Option<EntityId>);

/// Every pair of ends that a query may mean, rising.
fn ends(reads: &dyn Reads, ns: NamespaceId, query: &TripleQuery) -> Result<Vec<Ends>, Error> {
    let side = |which: &Option<crate::graph::EntityRef>| -> Result<Vec<Option<EntityId>>, Error> {
        match which {
            None => Ok(vec![None]),
            Some(which) => Ok(words::meant(reads, ns, which)?
                .into_iter()
                .map(Some)
                .collect()),
        }
    };
    let (subjects, objects) = (side(&query.subject)?, side(&query.object)?);
    let mut ends: Vec<Ends> = subjects
        .iter()
        .flat_map(|subject| objects.iter().map(move |object| (*subject, *object)))
        .collect();
    ends.sort_unstable();
    Ok(ends)
}

/// Where a page begins: at which pair of ends, and where among its triples.
/// `subject.object.cursor`, each part empty where there is none.
struct Place {
    ends: Ends,
    cursor: Option<graph::Cursor>,
}

impl Place {
    fn read(text: &str) -> Result<Self, Error> {
        let wrong = || Error::from(Refusal::NoPage {});
        let mut parts = text.split('.');
        let mut end = || match parts.next() {
            Some("") => Ok(None),
            Some(number) => Ok(Some(EntityId(number.parse().map_err(|_| wrong())?))),
            None => Err(wrong()),
        };
        let ends = (end()?, end()?);
        let cursor = match (parts.next(), parts.next()) {
            (Some(""), None) => None,
            (Some(cursor), None) => Some(cursor.parse().map_err(|_| wrong())?),
            _ => return Err(wrong()),
        };
        Ok(Self { ends, cursor })
    }

    fn write(&self) -> String {
        let number = |id: Option<EntityId>| id.map(|id| id.0.to_string()).unwrap_or_default();
        let cursor = self
            .cursor
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        format!("{}.{}.{cursor}", number(self.ends.0), number(self.ends.1))
    }
}
