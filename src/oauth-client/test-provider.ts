import * as oauth from 'oauth4webapi'
import type { ProviderTestStep } from '../core/consent/provider.ts'
import type { Fetch } from '../core/tool/platform.ts'
import { CLIENT_ERRORS, getCode } from './provider-failure.ts'
import type { PendingRequest, ProviderClient } from './provider-requests.ts'

const MADE_UP_CODE = 'a-code-made-up-by-a-test'

/** Opens the sign-in page as a browser would. Some providers answer 400 if a tool's scopes are missing. */
export async function testSignInPage(fetch: Fetch, url: string, signal: AbortSignal): Promise<ProviderTestStep> {
  const give = createStep('authorization')
  try {
    const { status, body } = await fetch(url, { redirect: 'manual', signal })
    await body?.cancel()
    if (status < 400) return give('ok', `The sign-in page answers (${status})`)
    if (status < 500 && status !== 404)
      return give('unclear', `The sign-in page answers ${status}: check the client ID and redirect URI`)
    return give('failed', `The sign-in page answers ${status}: check 'authorization_endpoint'`)
  } catch {
    return give('failed', "The sign-in page cannot be reached: check 'authorization_endpoint'")
  }
}

/** Providers refuse made-up codes with `invalid_grant`, and unknown clients with `invalid_client` (RFC 6749, 5.2). */
export async function testClient(client: ProviderClient, request: PendingRequest): Promise<ProviderTestStep> {
  const give = createStep('token')
  const answer = new URLSearchParams({ code: MADE_UP_CODE, state: request.state, iss: client.as.issuer })
  try {
    await oauth.processAuthorizationCodeResponse(client.as, client.client, await client.redeem(answer, request))
    return give('failed', 'The provider issues tokens for a made-up code: do not use it')
  } catch (error) {
    const status = client.lastAnswer()?.status
    if (status === undefined) return give('failed', "The token endpoint cannot be reached: check 'token_endpoint'")
    if (!(error instanceof oauth.ResponseBodyError) || status >= 500)
      return give('failed', `The token endpoint answers ${status}, and no OAuth error as it should`)
    const refusal = `a made-up code is refused with '${getCode(error.error)}'`
    if (error.error === 'invalid_grant') return give('ok', `The client ID and secret are accepted: ${refusal}`)
    if (CLIENT_ERRORS.includes(error.error) || status === 401)
      return give('failed', `The client ID or secret is wrong: ${refusal}`)
    return give('unclear', `Whether the client ID and secret are right is not known: ${refusal}`)
  }
}

function createStep(name: ProviderTestStep['name']) {
  return (state: ProviderTestStep['state'], message: string) => ({ name, state, message })
}
