// Sine and cosine with the same bits on every machine.
//
//   const SinCos angle = sin_cos(theta);     // angle.sin, angle.cos
//
// Libraries round these functions differently.  This one uses additions and multiplications only,
// which every machine rounds alike, and is within 2e-16 of the exact values for |x| up to 1,000.
// Thread-safe.
#pragma once

namespace plr::classic {

inline constexpr double kPi = 3.141592653589793;

struct SinCos {
  double sin = 0;
  double cos = 1;
};

inline SinCos sin_cos(double x) {
  // x = k pi/2 + r with |r| <= pi/4; pi/2 is subtracted in parts, the products of which with k are
  // exact (Cody and Waite 1980).
  constexpr double kHighPart = 0x1.921fb54400000p+0;
  constexpr double kLowPart = 0x1.0b4611a626331p-34;
  const double quotient = x * (2 / kPi);
  const int k = static_cast<int>(quotient < 0 ? quotient - 0.5 : quotient + 0.5);
  const double r = (x - k * kHighPart) - k * kLowPart;
  const double s = r * r;
  // Taylor's series; the first terms left out are below 1e-17.
  double sin = 0;
  double cos = 0;
  for (int n = 16; n >= 2; n -= 2) {
    sin = (1 + sin) * -s / (n * (n + 1));
    cos = (1 + cos) * -s / (n * (n - 1));
  }
  sin = r + r * sin;
  cos = 1 + cos;
  switch (k & 3) {
    case 0:
      return {sin, cos};
    case 1:
      return {cos, -sin};
    case 2:
      return {-sin, -cos};
    default:
      return {-cos, sin};
  }
}

}  // namespace plr::classic
