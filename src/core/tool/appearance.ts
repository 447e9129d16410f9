import { isJsonObject, isJsonArray, type Json, type JsonObject } from './json.ts'
import { getDisplayTitle, type ToolRecord } from './tool.ts'

export interface IconImage {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/svg+xml'
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** How a tool is shown to people. `icon` and `page` are paths of this deployment, so viewers send no requests elsewhere. */
export function getAppearance(record: Pick<ToolRecord, 'id' | 'title' | 'annotations' | 'icons' | '_meta'>) {
  const title = getDisplayTitle(record)
  const icon = iconSource(record) === undefined ? undefined : `/tools/${encodeURIComponent(record.id)}/icon`
  const hasPage = isJsonObject(record._meta?.ui) && record._meta.ui.resourceUri !== undefined
  const page = hasPage ? { page: `/tools/${encodeURIComponent(record.id)}/page` } : {}
  return { ...(title === undefined ? {} : { title }), ...(icon === undefined ? {} : { icon }), ...page }
}

/** Returns the URL of a tool's icon (MCP, `Icon`), preferably one without a theme, since pages have both themes. */
export function iconSource({ icons }: Pick<ToolRecord, 'icons'>): string | undefined {
  const usable = (isJsonArray(icons) ? icons : []).filter(isUsableIcon)
  return (usable.find(({ theme }) => theme === undefined) ?? usable[0])?.src
}

function isUsableIcon(icon: Json): icon is JsonObject & { readonly src: string } {
  if (!isJsonObject(icon) || typeof icon.src !== 'string') return false
  return typeof icon.mimeType !== 'string' || /^image\/(?:png|jpe?g|webp|svg\+xml)\b/i.test(icon.mimeType)
}
