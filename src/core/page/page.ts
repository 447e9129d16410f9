/**
 * Pages of tools (MCP Apps): HTML shown beside a tool's output, in a frame without an origin. A tool refers to its page in
 * `_meta.ui`. The page's own `_meta.ui` lists what it may load.
 */
import { canonicalJson, type Sha256 } from '../tool/digest.ts'
import { isJsonArray, isJsonObject, isObject, isStringArray, type JsonObject } from '../tool/json.ts'
import type { ToolRecord } from '../tool/tool.ts'

export interface UiResource {
  readonly html: string
  /** The valid parts of `csp`, `permissions`, `domain` and `prefersBorder`. */
  readonly ui: JsonObject
}

export const PAGE_EXTENSION = 'io.modelcontextprotocol/ui'
export const PAGE_TYPE = 'text/html;profile=mcp-app'
export const MAX_PAGE_CHARACTERS = 2 * 1024 * 1024

type ToolWithMeta = Pick<ToolRecord, '_meta'>

/** Reads a tool's reference to its page. `digest` is the digest of the page at import. */
export function getToolUi({ _meta = {} }: ToolWithMeta) {
  const { resourceUri, visibility, digest } = isJsonObject(_meta.ui) ? _meta.ui : {}
  const uri = resourceUri ?? _meta['ui/resourceUri']
  return {
    uri: typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined,
    visibility: isStringArray(visibility) ? visibility : undefined,
    digest: typeof digest === 'string' ? digest : undefined,
  }
}

/** Whether models see the tool, or pages may call it. Models can still call a tool that is only for pages. */
export function isShownTo(audience: 'model' | 'app', tool: ToolWithMeta): boolean {
  return tool._meta === undefined || (getToolUi(tool).visibility?.includes(audience) ?? true)
}

/** Removes the page, for clients that do not show pages. */
export function withoutPage<T extends ToolWithMeta>(tool: T): T {
  const { ui, 'ui/resourceUri': uri, ..._meta } = tool._meta ?? {}
  return ui === undefined && uri === undefined ? tool : { ...tool, _meta }
}

const DOMAINS = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains']
const PERMISSIONS = ['camera', 'microphone', 'geolocation', 'clipboardWrite']
/** An origin, whose host may start with a wildcard. No character in it can end a CSP directive. */
const ORIGIN =
  /^(?:(?:https|wss):\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+|https?:\/\/(?:localhost|127\.0\.0\.1))(?::\d{1,5})?\/?$/i
const MAX_ORIGINS = 50

/** Reads the result of `resources/read`. Undefined if it is not a page, or is too large. */
export function readPage(result: unknown): UiResource | undefined {
  const [content] = isObject(result) && isJsonArray(result['contents']) ? result['contents'] : []
  if (!isJsonObject(content) || !/^text\/html\b/i.test(String(content.mimeType))) return undefined
  const { text: html, _meta } = content
  if (typeof html !== 'string' || html.length > MAX_PAGE_CHARACTERS) return undefined
  return { html, ui: readPageUi(isJsonObject(_meta) && isJsonObject(_meta.ui) ? _meta.ui : {}) }
}

function readPageUi({ csp, permissions, domain, prefersBorder }: JsonObject): JsonObject {
  const origins = DOMAINS.map((name) => [name, listOrigins(csp, name)] as const).filter(([, list]) => list.length > 0)
  const grantedPermissions = PERMISSIONS.filter((name) => isJsonObject(permissions) && isJsonObject(permissions[name]))
  return {
    ...(origins.length > 0 ? { csp: Object.fromEntries(origins) } : {}),
    ...(grantedPermissions.length > 0
      ? { permissions: Object.fromEntries(grantedPermissions.map((name) => [name, {}])) }
      : {}),
    ...(typeof domain === 'string' && /^[a-z0-9.-]{1,253}$/i.test(domain) ? { domain } : {}),
    ...(typeof prefersBorder === 'boolean' ? { prefersBorder } : {}),
  }
}

function listOrigins(csp: unknown, name: string): readonly string[] {
  const listedOrigins = isJsonObject(csp) && isStringArray(csp[name]) ? csp[name] : []
  return listedOrigins.filter((origin) => ORIGIN.test(origin)).slice(0, MAX_ORIGINS)
}

/** Computes a digest of the HTML and of the list of what it may load. */
export function computePageDigest(page: UiResource, sha256: Sha256): Promise<string> {
  return sha256(canonicalJson(page))
}

/** Builds the Content-Security-Policy of a page: inline code is allowed, and otherwise only the origins that the page lists. */
export function buildPagePolicy({ ui: { csp } }: UiResource): string {
  const [connect, resource, frame, base] = DOMAINS.map((name) => listOrigins(csp, name).join(' '))
  return [
    "default-src 'none'",
    `script-src 'unsafe-inline' 'wasm-unsafe-eval' blob: ${resource}`,
    `style-src 'unsafe-inline' ${resource}`,
    ...['img', 'font', 'media'].map((kind) => `${kind}-src data: blob: ${resource}`),
    'worker-src blob:',
    `connect-src ${connect || "'none'"}`,
    `frame-src ${frame || "'none'"}`,
    `base-uri ${base || "'none'"}`,
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts',
  ].join('; ')
}
