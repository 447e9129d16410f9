import type { UpstreamTool } from '../runners/remote/mcp-server.ts'

const PAGE_TYPE = 'text/html;profile=mcp-app'

const tool = (name: string, more: object = {}, answer: object = {}): UpstreamTool => ({
  definition: { name, description: `Does ${name}`, inputSchema: { type: 'object', properties: {} }, ...more },
  call: () => ({ content: [{ type: 'text', text: `${name} ran` }], ...answer }),
})

/** Tools with pages: one with each of the two keys, one only for pages, and one without a page. */
export const APP_TOOLS: readonly UpstreamTool[] = [
  tool('get-time', { _meta: { ui: { resourceUri: 'ui://clock/page.html' } } }),
  tool('refresh', { _meta: { ui: { resourceUri: 'ui://clock/page.html', visibility: ['app'] } } }),
  tool('older', { _meta: { 'ui/resourceUri': 'ui://clock/older.html', 'vendor/key': 1 } }),
  tool('plain'),
]

export const pageOf = (text: string, ui?: object) => ({
  mimeType: PAGE_TYPE,
  text,
  ...(ui ? { _meta: { ui } } : {}),
})

export const APP_RESOURCES = {
  'ui://clock/page.html': pageOf('<!doctype html><p>Clock</p>', {
    csp: { connectDomains: ['https://api.example.com', 'https://x.example; script-src *'], resourceDomains: ['*'] },
    permissions: { camera: {}, midi: {} },
    prefersBorder: true,
    unknown: 1,
  }),
  'ui://clock/older.html': { mimeType: PAGE_TYPE, blob: Buffer.from('<p>Älter</p>').toString('base64') },
}
