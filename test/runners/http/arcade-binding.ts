import type { Implementation } from '../../../src/core/tool/tool.ts'
import type { Json, JsonObject } from '../../../src/core/tool/json.ts'

/** One line of `catalogues/http-bindings.ndjson`: how an Arcade worker calls an HTTP API for a tool. */
export interface ArcadeBinding {
  readonly tool_id: string
  readonly http_endpoint: {
    readonly url: string
    readonly http_method: string
    readonly headers: Readonly<Record<string, string>>
    readonly parameters: readonly ArcadeParameter[]
    readonly secrets: readonly ArcadeSecret[]
  }
}

export interface ArcadeParameter {
  readonly name: string
  readonly tool_parameter_name: string
  readonly description: string
  readonly value_schema: {
    readonly val_type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'json'
    readonly inner_val_type: string | null
    readonly enum: readonly string[] | null
  }
  readonly accepted_as: 'path' | 'query' | 'header' | 'body'
  readonly required: boolean
  readonly default?: Json
}

export interface ArcadeSecret {
  readonly arcade_key: string
  readonly parameter_name: string
  readonly accepted_as: 'header' | 'query' | 'path' | 'basic_auth_username' | 'basic_auth_password'
  readonly formatted_value: string | null
  readonly is_auth_token: boolean
}

export interface ConvertedBinding {
  /** An OXP 1.0 tool definition. */
  readonly definition: JsonObject & { readonly id: string }
  readonly implementation: Implementation
}

const FORM = 'application/x-www-form-urlencoded'

/**
 * Converts a binding into an OXP tool definition and an `http` implementation. `origin` (`http://127.0.0.1:1234`) replaces
 * the URL's scheme and host, so a secret in the host is not sent.
 */
export function convertBinding(binding: ArcadeBinding, options: { readonly origin?: string } = {}): ConvertedBinding {
  const { http_endpoint: endpoint } = binding
  const [id = '', version = ''] = binding.tool_id.split('@')
  const provider = providerOf(binding)
  const secrets = endpoint.secrets.filter((each) => !each.is_auth_token)
  const url = convertUrl(endpoint.url, options.origin)

  const definition = {
    id: binding.tool_id,
    name: id.replace('.', '_'),
    version,
    description: `Calls ${endpoint.http_method} ${endpoint.url}`,
    input_schema: {
      parameters: {
        type: 'object',
        properties: Object.fromEntries(endpoint.parameters.map((each) => [each.tool_parameter_name, schemaOf(each)])),
        required: endpoint.parameters.filter(isRequired).map((each) => each.tool_parameter_name),
      },
    },
    output_schema: {},
    requirements: {
      ...(secrets.length < endpoint.secrets.length
        ? { authorization: [{ id: provider, oauth2: { scopes: [] } }] }
        : {}),
      ...(secrets.length > 0 ? { secrets: secrets.map((each) => ({ id: each.arcade_key })) } : {}),
    },
  }

  const whole = endpoint.parameters.find(isWholeBody)
  const sendsForm = endpoint.headers['Content-Type'] === FORM && endpoint.http_method !== 'GET'
  const headers = Object.entries(endpoint.headers).filter(([, value]) => !(sendsForm && value === FORM))
  const body = whole ? { type: 'json', input: whole.tool_parameter_name } : sendsForm ? { type: 'form' } : undefined
  const implementation = {
    kind: 'http',
    method: endpoint.http_method,
    url,
    parameters: endpoint.parameters
      .filter((each) => !isWholeBody(each))
      .map((each) => convertParameter(each, sendsForm)),
    ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}),
    credentials: endpoint.secrets
      .filter((each) => each.accepted_as !== 'path' || url.includes(`{${each.parameter_name}}`))
      .map((each) => convertSecret(each, provider)),
    ...(body ? { body } : {}),
  }
  return { definition, implementation }
}

/** The OAuth provider's id: the first word of the toolkit's name, in lower case. */
export function providerOf({ tool_id: id }: ArcadeBinding): string {
  return (/^[A-Z][a-z]*/.exec(id)?.[0] ?? id).toLowerCase()
}

function convertUrl(url: string, origin: string | undefined): string {
  return origin === undefined ? url : url.replace(/^(?:https?:\/\/[^/]*|\{[^}]*\})/, origin)
}

function convertParameter(parameter: ArcadeParameter, sendsForm: boolean): JsonObject {
  const { accepted_as: place, name } = parameter
  const isNested = place === 'body' && !sendsForm && name.includes('.')
  return {
    input: parameter.tool_parameter_name,
    in: place,
    name: isNested ? `/${name.replaceAll('.', '/')}` : name,
    ...(hasDefault(parameter) ? { default: parameter.default } : {}),
  }
}

function convertSecret(secret: ArcadeSecret, provider: string): JsonObject {
  const basic = /^basic_auth_(username|password)$/.exec(secret.accepted_as)?.[1]
  return {
    ...(secret.is_auth_token ? { authorization: provider } : { secret: secret.arcade_key }),
    in: basic === undefined ? secret.accepted_as : 'basic',
    name: basic ?? secret.parameter_name,
    ...(secret.formatted_value === null
      ? {}
      : { format: secret.formatted_value.replace('{authorization}', '{value}') }),
  }
}

function schemaOf({ value_schema: schema, description }: ArcadeParameter): JsonObject {
  const type = schema.val_type === 'json' ? 'object' : schema.val_type
  return {
    type,
    description,
    ...(schema.enum ? { enum: schema.enum } : {}),
    ...(schema.inner_val_type === null ? {} : { items: { type: schema.inner_val_type } }),
  }
}

function isWholeBody({ accepted_as: place, name }: ArcadeParameter): boolean {
  return place === 'body' && name === 'requestBody'
}

/** Whether the caller must set a parameter: the endpoint may require one that has a default. */
function isRequired(parameter: ArcadeParameter): boolean {
  return parameter.required && !hasDefault(parameter)
}

function hasDefault({ default: value }: ArcadeParameter): boolean {
  return value !== null && value !== undefined
}
