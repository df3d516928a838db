/* pipeline/sanitized.h - whether this build runs under AddressSanitizer.
 *
 * Such a build reserves terabytes of address space, calls the system for its reports and takes several times as long: the walls
 * around the PDF library (sandbox.c) and its time limits (pdf_limits.h) make room for that.  It is for tests only.
 */
#pragma once

#if defined __SANITIZE_ADDRESS__
#define DP_WITH_ASAN 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define DP_WITH_ASAN 1
#endif
#endif
#ifndef DP_WITH_ASAN
#define DP_WITH_ASAN 0
#endif
