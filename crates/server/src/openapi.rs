//! The description of all routes, made of the table that mounts them.

use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, InfoBuilder, OpenApi, Ref, ResponseBuilder,
};
use utoipa::{PartialSchema as _, ToSchema as _};

use crate::problem::{FieldProblem, MEDIA_TYPE, ProblemBody};
use crate::routes;

/// The OpenAPI 3.1 document of all routes.
#[must_use]
pub fn document() -> OpenApi {
    let (_, mut api) = routes::all().split_for_parts();
    api.info = InfoBuilder::new()
        .title("annals")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Long-term memory for AI agents. Calls bring a token (`Authorization: Bearer TOKEN`) or the cookie of a \
             browser session; what each right allows is said with each route. Problems are RFC 9457.",
        ))
        .build();
    let components = api
        .components
        .get_or_insert_with(|| ComponentsBuilder::new().build());
    for (name, schema) in [
        (ProblemBody::name(), ProblemBody::schema()),
        (FieldProblem::name(), FieldProblem::schema()),
    ] {
        components.schemas.insert(name.into_owned(), schema);
    }
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("A token of `annals token`."));
    components.add_security_scheme("token", SecurityScheme::Http(bearer.build()));
    let cookie = ApiKeyValue::with_description(
        "annals-19876",
        "A browser session; its name ends with the port.",
    );
    components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
    let problem = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("Problem")))
        .build();
    let refusal = ResponseBuilder::new()
        .description("What went wrong, and what to do.")
        .content(MEDIA_TYPE, problem)
        .build();
    for item in api.paths.paths.values_mut() {
        let all = [
            &mut item.get,
            &mut item.post,
            &mut item.put,
            &mut item.patch,
            &mut item.delete,
        ];
        for operation in all.into_iter().flatten() {
            operation
                .responses
                .responses
                .insert("default".to_owned(), refusal.clone().into());
        }
    }
    api
}
