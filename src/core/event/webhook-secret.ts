/** Base64 of 24 to 64 bytes (Standard Webhooks 1.0.0). */
const WEBHOOK_SECRET = /^whsec_(?=.{32,88}$)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
export const WEBHOOK_SECRET_FORM = "'whsec_' and 24 to 64 random bytes in Base64"

export function isWebhookSecret(text: string): boolean {
  return WEBHOOK_SECRET.test(text)
}
