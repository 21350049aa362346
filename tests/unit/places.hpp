// SPDX-License-Identifier: MIT
#pragma once
// Where the tests find things. Functions of one source, not definitions for all: the path of a clone in the command line
// would keep ccache from knowing a test that another clone has compiled.
#include <string>

namespace places {

std::string tests();      ///< the folder tests/ of the sources
std::string plugins();    ///< the plugins of the build
std::string fakes();      ///< broken plugins
std::string hostile();    ///< plugins that mean harm
std::string consumers();  ///< strangers' builds
std::string program();    ///< the executable concord

}  // namespace places
