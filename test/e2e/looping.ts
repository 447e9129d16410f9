import { type ServerProcess, startProcess } from './process.ts'
import { bundleFolder } from './server.ts'
import { definition } from './definition.ts'

/** Starts `npm run serve`, which runs published code in separate processes. Every caller is an administrator. */
export async function serveSandboxes(variables: readonly string[] = []): Promise<ServerProcess> {
  const command = ['node', 'src/node/serve.ts', '--built', '--outdir', await bundleFolder(), '--var', 'ACCESS:open']
  return startProcess([...command, ...variables.flatMap((each) => ['--var', each])])
}

/** Creates functions that publish and call code tools on a server. */
export function toolsAt(server: () => ServerProcess) {
  const call = async (id: string, input: object = {}) => {
    const { body } = await server().json('POST', '/tools/call', { tool_id: id, input })
    return body.result ?? body
  }
  return {
    call,
    /** Returns the id. */
    async publish(id: string, module: string, implementation: object = {}): Promise<string> {
      const body = {
        definition: definition(`${id}@1.0.0`),
        implementation: { kind: 'code', module, ...implementation },
      }
      const { status, body: answer } = await server().json('POST', '/tools', body)
      if (status !== 201) throw new Error(`Cannot publish ${id}: ${JSON.stringify(answer)}`)
      return id
    },
  }
}

export const LOOP = 'export default () => { while (true) {} }'
