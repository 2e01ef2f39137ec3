/* Stands in for ns-3's error rates of DSSS and CCK.

   ErrorRateModel::GetChunkSuccessRate asks its model about OFDM alone: for 802.11b it calls four static functions of DsssErrorRateModel. Loaded
   before ns-3, with RTLD_GLOBAL, these take their place. */

#include <stdint.h>

/* Least signal-to-interference ratio at 1, 2, 5.5 and 11 Mbit/s, a plain ratio; negative: ns-3's own function decides. */
double dsss_least[4] = {-1, -1, -1, -1};
/* Those functions. */
double (*dsss_shipped[4])(double, uint64_t);
/* How often these here were asked. */
uint64_t dsss_asked;

static double success(int at, double sinr, uint64_t bits) {
    ++dsss_asked;
    return dsss_least[at] < 0 ? dsss_shipped[at](sinr, bits) : sinr >= dsss_least[at];
}

double _ZN3ns318DsssErrorRateModel23GetDsssDbpskSuccessRateEdm(double sinr, uint64_t bits) { return success(0, sinr, bits); }
double _ZN3ns318DsssErrorRateModel23GetDsssDqpskSuccessRateEdm(double sinr, uint64_t bits) { return success(1, sinr, bits); }
double _ZN3ns318DsssErrorRateModel29GetDsssDqpskCck5_5SuccessRateEdm(double sinr, uint64_t bits) { return success(2, sinr, bits); }
double _ZN3ns318DsssErrorRateModel28GetDsssDqpskCck11SuccessRateEdm(double sinr, uint64_t bits) { return success(3, sinr, bits); }
