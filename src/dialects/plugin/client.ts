import { isJsonArray, isObject } from '../../core/tool/json.ts'
import { nameOnlyReader, type RemoteDialect } from '../../core/tool/remote-dialect.ts'
import { plugin } from './definition.ts'
import { STRUCTURED_KEY } from './wire.ts'

/** The plugin schema's `describe` and `call`, over HTTP. */
export const pluginClient: RemoteDialect = {
  protocol: 'plugin',
  title: 'the plugin schema',
  source: 'plugin-upstream',
  paths: { list: '/describe', call: '/call' },
  readTools: (document) => (isObject(document) && isJsonArray(document.tools) ? { tools: document.tools } : undefined),
  nameReader: nameOnlyReader,
  decode: (document, name) => plugin.decode({ tools: [{ ...document, name }] }, { toolkit: 'any', version: '1.0.0' }),
  writeCall: ({ tool: name, input, method }) => ({
    method,
    params: { name, arguments: input, _meta: { [STRUCTURED_KEY]: true } },
  }),
  readAnswer: (result) => (isJsonArray(result.content) ? { result } : undefined),
}
