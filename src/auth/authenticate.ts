import { authenticationFailed, ServiceError } from '../errors.ts';
import type { BearerVerifier } from './bearer.ts';
import type { Grant } from './grant.ts';
import { type SasContext, verifySas } from './shared-access-signature.ts';
import { type SignedRequest, verifySharedKey } from './shared-key.ts';

export interface AuthenticationContext extends SasContext {
  readonly verifyBearer: BearerVerifier | undefined;
  /** Where clients get bearer tokens: told to those that come without credentials. */
  readonly authorizationUri: string;
}

/** Bearer tokens themselves are taken with any version: official clients send older ones with them. */
const firstChallengeVersion = '2019-12-12';

/**
 * Who asks, and what that allows: by Authorization header, or by SAS (REST: Authorize requests to Azure
 * Storage). Throws AuthenticationFailed, InvalidAuthenticationInfo, or what verifySas does. A promise only
 * where something has to be waited for.
 */
export function authenticate(request: SignedRequest, context: AuthenticationContext): Grant | Promise<Grant> {
  const authorization = request.header('authorization');
  if (authorization === undefined) {
    const { query } = request.address;
    if (query.get('sig') !== undefined) return verifySas(query, context);
    throw refuseAnonymous(request, context);
  }
  const token = /^bearer\s+(.*)$/i.exec(authorization)?.[1];
  if (token === undefined) return verifySharedKey(request, context.account, context.nowMs);
  if (!context.isSecure) throw authenticationFailed('bearer tokens are taken over TLS only');
  if (context.verifyBearer === undefined) throw challenge(context, 'bearer tokens are not configured');
  return verifyBearer(token, context.verifyBearer, context);
}

async function verifyBearer(
  token: string,
  verify: BearerVerifier,
  context: AuthenticationContext,
): Promise<Grant> {
  try {
    return await verify(token, context.account.name, context.nowMs);
  } catch (error) {
    throw challenge(context, `the bearer token is refused: ${(error as Error).message}`);
  }
}

/** A challenge, where the client could answer it with a bearer token (recorded). */
function refuseAnonymous(request: SignedRequest, context: AuthenticationContext): ServiceError {
  const detail = 'neither an Authorization header nor a SAS';
  const isNew = (request.header('x-ms-version') ?? '') >= firstChallengeVersion;
  return context.isSecure && isNew ? challenge(context, detail) : authenticationFailed(detail);
}

function challenge({ authorizationUri }: AuthenticationContext, detail: string): ServiceError {
  return new ServiceError(
    'InvalidAuthenticationInfo',
    'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.',
    {
      status: 401,
      headers: {
        'WWW-Authenticate': `Bearer authorization_uri=${authorizationUri} resource_id=https://storage.azure.com`,
      },
      detail,
    },
  );
}
