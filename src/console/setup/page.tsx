import type { PageContext, View } from '../page-context.ts'
import { FailureNotice } from '../parts.tsx'
import { ConnectStep, SetupChecks } from './checks.tsx'

export async function show(context: PageContext): Promise<View> {
  const setup = await context.fetchRoute('GET /setup')
  return {
    title: 'Setup',
    content: (
      <>
        {setup.ok ? <SetupChecks items={setup.value.items} /> : <FailureNotice failure={setup.failure} />}
        <p class="note">
          <code>switchboard doctor</code> checks the same in a terminal, and each tool's requirements too.
        </p>
        <ConnectStep origin={context.url.origin} />
      </>
    ),
  }
}
