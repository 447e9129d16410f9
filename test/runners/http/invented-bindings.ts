import type { ArcadeBinding, ArcadeParameter, ArcadeSecret } from './arcade-binding.ts'

/** Bindings that use every feature of the real catalog, for use without it. */
export const INVENTED_BINDINGS: readonly ArcadeBinding[] = [
  binding('Parcel.Track', 'GET', 'https://api.parcel.example/v1/parcels/{number}/events', {
    parameters: [
      parameter('path', 'number', 'tracking_number', { required: true }),
      parameter('query', 'lang', 'language', { default: 'en' }),
      parameter('query', 'fields', 'included_fields', { type: 'array' }),
      parameter('header', 'Accept-Version', 'api_version', { required: true, default: '2.9' }),
    ],
    secrets: [secret('header', 'X-Parcel-Key', 'PARCEL_KEY')],
  }),
  binding('Parcel.Create', 'POST', 'https://{parcel_subdomain}.parcel.example/v1/parcels', {
    parameters: [
      parameter('body', 'weight', 'weight_in_grams', { required: true, type: 'integer' }),
      parameter('body', 'to.name', 'receiver_name', { required: true }),
      parameter('body', 'to.address.city', 'receiver_city'),
      parameter('body', 'fragile', 'is_fragile', { type: 'boolean' }),
    ],
    secrets: [secret('path', 'parcel_subdomain', 'PARCEL_SUBDOMAIN'), token()],
  }),
  binding('Parcel.Replace', 'PUT', 'https://api.parcel.example/v1/parcels/{id}', {
    headers: { 'Content-Type': 'application/json', 'parcel-version': '2024.0' },
    parameters: [
      parameter('path', 'id', 'parcel_id', { required: true, type: 'integer' }),
      parameter('body', 'requestBody', 'parcel_details', { required: true, type: 'json' }),
    ],
    secrets: [
      secret('basic_auth_username', 'username', 'PARCEL_SITE'),
      secret('basic_auth_password', 'password', 'PARCEL_PASSWORD'),
    ],
  }),
  binding('Parcel.Invite', 'POST', 'https://parcel.example/api/invite', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    parameters: [
      parameter('body', 'email', 'invited_email', { required: true }),
      parameter('body', 'roles', 'role_names', { type: 'array' }),
      parameter('body', 'notify', 'send_mail', { type: 'boolean' }),
    ],
    secrets: [token()],
  }),
  binding('Parcel.Purge', 'DELETE', '{parcel_server_url}/v1/stores/{store}/parcels', {
    parameters: [
      parameter('path', 'store', 'store_name', { required: true }),
      parameter('query', 'force', 'is_forced', { type: 'boolean' }),
      parameter('body', 'requestBody', 'criteria', { type: 'json' }),
    ],
    secrets: [secret('path', 'parcel_server_url', 'PARCEL_SERVER'), token()],
  }),
  binding('Parcel.Label', 'POST', 'https://api.parcel.example/1/parcels/{id}/labels', {
    parameters: [parameter('path', 'id', 'parcel_id', { required: true }), parameter('query', 'value', 'label_id')],
    secrets: [secret('query', 'key', 'PARCEL_KEY'), secret('query', 'token', 'PARCEL_TOKEN')],
  }),
]

function binding(
  name: string,
  method: string,
  url: string,
  rest: Omit<ArcadeBinding['http_endpoint'], 'url' | 'http_method' | 'headers'> & { headers?: Record<string, string> },
): ArcadeBinding {
  return { tool_id: `${name}@1.0.0`, http_endpoint: { headers: {}, ...rest, url, http_method: method } }
}

function parameter(
  place: ArcadeParameter['accepted_as'],
  name: string,
  input: string,
  more: { required?: boolean; default?: string; type?: ArcadeParameter['value_schema']['val_type'] } = {},
): ArcadeParameter {
  const type = more.type ?? 'string'
  return {
    name,
    tool_parameter_name: input,
    description: '',
    value_schema: { val_type: type, inner_val_type: type === 'array' ? 'string' : null, enum: null },
    accepted_as: place,
    required: more.required ?? false,
    default: more.default ?? null,
  }
}

function secret(place: ArcadeSecret['accepted_as'], name: string, key: string): ArcadeSecret {
  return { arcade_key: key, parameter_name: name, accepted_as: place, formatted_value: null, is_auth_token: false }
}

function token(): ArcadeSecret {
  return {
    arcade_key: 'auth_token',
    parameter_name: 'Authorization',
    accepted_as: 'header',
    formatted_value: 'Bearer {authorization}',
    is_auth_token: true,
  }
}
