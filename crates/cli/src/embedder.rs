use std::sync::Arc;

use annals::Embedder;

use crate::failure::Failure;
use crate::settings::Settings;
use crate::world::World;

/// The embedder of the settings; `None` for the built-in one.
pub(crate) fn load(_settings: &Settings, _world: &World<'_>) -> Result<Option<Arc<dyn Embedder>>, Failure> {
    Ok(None)
}
