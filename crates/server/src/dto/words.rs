//! Schemas of words that have a type of their own in `annals`: made of its list, so that none is
//! missing.

use std::borrow::Cow;

use annals::profile::RecallMode;
use annals::{Feature, Layer, Role, Status};
use utoipa::openapi::schema::{
    AdditionalProperties, Array, KnownFormat, ObjectBuilder, OneOfBuilder, Schema, SchemaFormat,
    Type,
};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

macro_rules! words {
    ($($name:ident, $title:literal, $words:expr;)+) => {
        $(
            pub(crate) struct $name;

            impl PartialSchema for $name {
                fn schema() -> RefOr<Schema> {
                    ObjectBuilder::new().schema_type(Type::String).enum_values(Some($words)).into()
                }
            }

            impl ToSchema for $name {
                fn name() -> Cow<'static, str> {
                    $title.into()
                }
            }
        )+
    };
}

words! {
    LayerWord, "Layer", Layer::ALL.iter().map(|word| word.as_str());
    StatusWord, "Status", Status::ALL.iter().map(|word| word.as_str());
    RoleWord, "Role", Role::ALL.iter().map(|word| word.as_str());
    FeatureWord, "Feature", Feature::ALL.iter().map(|word| word.as_str());
    ModeWord, "RecallMode", RecallMode::ALL.iter().map(|word| word.as_str());
    AdmissionWord, "Admission", ["new", "known", "replaced"];
    ChannelWord, "Channel", ["text", "vector", "neighbour", "time", "graph", "node"];
    ChangeWord, "Change", [
        "stored", "edited", "forgotten", "archived", "restored", "adjusted", "linked", "told", "synced", "decided"
    ];
}

/// The id of a memory.
pub(crate) struct IdText;

impl PartialSchema for IdText {
    fn schema() -> RefOr<Schema> {
        let uuid = SchemaFormat::Custom("uuid".to_owned());
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(uuid))
            .into()
    }
}

impl ToSchema for IdText {
    fn name() -> Cow<'static, str> {
        "MemoryId".into()
    }
}

/// Any JSON value, as metadata hold it.
pub(crate) struct MetadataValue;

impl PartialSchema for MetadataValue {
    fn schema() -> RefOr<Schema> {
        let of = |kind: Type| ObjectBuilder::new().schema_type(kind).build();
        let itself = || RefOr::Ref(Ref::from_schema_name("MetadataValue"));
        let number = ObjectBuilder::new()
            .schema_type(Type::Number)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Double)));
        let map = ObjectBuilder::new().schema_type(Type::Object);
        OneOfBuilder::new()
            .item(of(Type::Null))
            .item(of(Type::Boolean))
            .item(number)
            .item(of(Type::String))
            .item(Array::new(itself()))
            .item(map.additional_properties(Some(AdditionalProperties::RefOr(itself()))))
            .into()
    }
}

impl ToSchema for MetadataValue {
    fn name() -> Cow<'static, str> {
        "MetadataValue".into()
    }
}
