import { isObject } from '../../core/tool/json.ts'
import { Fold } from '../parts.tsx'
import type { FormCall } from './call.tsx'

/** A tool's page (MCP Apps), in a frame without an origin. `browser/call.ts` answers its messages. */
export function AppFrame(props: { path: string; title: string; toolkit: string; call: FormCall | undefined }) {
  const { path, title, toolkit, call } = props
  const value = call?.reply?.value.result?.value
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const result = { content: [{ type: 'text', text }], structuredContent: isObject(value) ? value : undefined }
  return (
    <Fold id="app" title="App" isOpen={value !== undefined}>
      <iframe
        class="app"
        title={`App of ${title}`}
        src={path}
        sandbox="allow-scripts"
        loading="lazy"
        data-toolkit={toolkit}
        data-input={JSON.stringify(call?.input ?? {})}
        data-result={value === undefined ? undefined : JSON.stringify(result)}
      />
    </Fold>
  )
}
